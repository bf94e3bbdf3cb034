import type { PlainText } from '@posthorn/core'
import { compile } from 'html-to-text'

const convert = compile({
  wordwrap: false,
  decodeEntities: true,
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['[', ']'] } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', format: 'block' },
  ],
})

/** Links as `text [url]`, headings as they are, lines not wrapped, images left out; template tags stay as they stand. */
export const htmlToPlainText: PlainText = (html) => convert(html)
