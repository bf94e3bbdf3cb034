import { compile } from 'html-to-text'

/** All of the document is read, not its `body` alone: what a template has around it counts, too. */
const convert = compile({
  wordwrap: false,
  decodeEntities: true,
  baseElements: { selectors: [] },
  selectors: [
    ...['img', 'head', 'title'].map((selector) => ({ selector, format: 'skip' })),
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['[', ']'] } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', format: 'block' },
  ],
})

/** HTML to text: links as `text [url]`, headings as they are, lines not wrapped, images left out. */
export const work = async (input) => ({ output: convert(input) })
