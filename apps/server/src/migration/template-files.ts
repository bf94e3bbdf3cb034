import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { ExportFile } from './export-files.js'
import type { TemplateItem } from './items.js'

/** In bytes: a template of a million characters, the most that can be stored, is no larger. */
const largestTemplate = 4_000_000

/** The title of the page is the subject. */
export const htmlTemplate = (
  { path, name, size }: ExportFile,
  { purpose, language }: Pick<TemplateItem, 'purpose' | 'language'>,
): TemplateItem => {
  const isLarge = size > largestTemplate
  const source = isLarge ? '' : readFileSync(path, 'utf8')
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(source.slice(0, 20_000))?.[1]?.trim()
  const plain = basename(name).replace(/\.html?$/i, '')
  return {
    kind: 'template',
    place: { file: name, line: 1 },
    name: plain,
    subject: title || plain,
    purpose,
    format: 'html',
    source,
    language,
    ...(isLarge && { obstacle: 'The template has more than 1,000,000 characters.' }),
  }
}
