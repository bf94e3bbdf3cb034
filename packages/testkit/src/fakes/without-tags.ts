import type { PlainText } from '@posthorn/core/ports'

/** The text between the tags, one line for each block: enough for tests that ask what a mail says and not how it is laid out. */
export const withoutTags: PlainText = async (html) =>
  html
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/<br\s*\/?>|<\/(?:p|div|h[1-6]|li|tr)>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()
