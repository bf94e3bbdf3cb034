import { compile } from 'html-to-text'
import { linkFormatters } from './plain-text-links.js'
import { tableFormatters, tidied, withoutMarks } from './plain-text-tables.js'

/** All of the document is read, not its `body` alone: what a template has around it counts, too. */
const converter = () =>
  compile({
    wordwrap: false,
    decodeEntities: true,
    baseElements: { selectors: [] },
    formatters: { ...tableFormatters(), ...linkFormatters() },
    selectors: [
      ...['img', 'head', 'title'].map((selector) => ({ selector, format: 'skip' })),
      { selector: 'a', format: 'link', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', format: 'block' },
      { selector: 'tr', format: 'row' },
    ],
  })

/**
 * HTML to text: a row of a table on a line, its cells a tab's worth of blanks apart; links once, as `text (url)`; headings as they
 * are, lines not wrapped, one blank line at the most, images left out but where they are a link.
 */
export const work = async (input) => ({ output: tidied(converter()(withoutMarks(input))) })
