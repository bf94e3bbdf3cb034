import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { ExportFile } from './export-files.js'
import type { MigrationTemplateItem } from './items.js'

/** In bytes, of a million characters, the most that can be stored. */
const largestTemplate = 4_000_000

/** In characters; the head of a page is no longer. */
const longestHead = 20_000

const titleOf = (source: string): string => {
  const head = source.slice(0, longestHead)
  const end = head.toLowerCase().indexOf('</title>')
  return end < 0 ? '' : head.slice(head.lastIndexOf('>', end) + 1, end).trim()
}

/** The page's title is the subject. */
export const templateOfHtmlFile = (
  { path, name, size }: ExportFile,
  { purpose, language }: Pick<MigrationTemplateItem, 'purpose' | 'language'>,
): MigrationTemplateItem => {
  const isLarge = size > largestTemplate
  const source = isLarge ? '' : readFileSync(path, 'utf8')
  const plain = basename(name).replace(/\.html?$/i, '')
  return {
    kind: 'template',
    place: { file: name, line: 1 },
    name: plain,
    subject: titleOf(source) || plain,
    purpose,
    format: 'html',
    source,
    language,
    ...(isLarge && { obstacle: 'The template has more than 1,000,000 characters.' }),
  }
}
