import { goDialect } from './go.js'
import { liquidDialect } from './liquid.js'
import { mailjetDialect } from './mailjet.js'
import { mergeTagDialect } from './merge-tags.js'
import { sendgridDialect } from './sendgrid.js'
import type { Dialects } from './translation.js'

export const dialects: Dialects = {
  go: goDialect,
  'merge-tags': mergeTagDialect,
  handlebars: sendgridDialect,
  mailjet: mailjetDialect,
  liquid: liquidDialect,
}
