import { goDialect } from './go.js'
import { liquidDialect } from './liquid.js'
import { mailjetDialect } from './mailjet.js'
import { mergeTagDialect } from './merge-tags.js'
import { sendgridDialect } from './sendgrid.js'
import type { TemplateDialectForFields, TemplateLanguage } from './translation.js'

export const templateDialects: Readonly<Record<TemplateLanguage, TemplateDialectForFields>> = {
  go: goDialect,
  'merge-tags': mergeTagDialect,
  handlebars: sendgridDialect,
  mailjet: mailjetDialect,
  liquid: liquidDialect,
}
