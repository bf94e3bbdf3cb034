import { compile } from 'html-to-text'
import { linkFormatters } from './plain-text-links.js'
import { tableFormatters, tidied, withoutMarks } from './plain-text-tables.js'

/** Converts the whole document, not its `body` alone: templates may have text around it. */
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
 * A table row per line, blanks between cells; links once, as `text (url)`; headings unchanged, no wrapping, at most one blank line, images
 * omitted unless they are links.
 */
export const work = async (input) => ({ output: tidied(converter()(withoutMarks(input))) })
