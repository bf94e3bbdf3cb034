import type { PlainTextConverter } from '@posthorn/core/ports/runtime'

/** One line per block: for tests of a mail's text, not of its layout. */
export const htmlWithoutTags: PlainTextConverter = async (html) =>
  html
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/<br\s*\/?>|<\/(?:p|div|h[1-6]|li|tr)>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()
