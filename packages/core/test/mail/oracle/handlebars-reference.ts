import Handlebars from 'handlebars'
import { renderBudget } from '../../../src/mail/template/budget.js'
import type { TemplateOutputFormat } from '../../../src/mail/template/expressions.js'
import { helperSignatures, inlineHelpers } from '../../../src/mail/template/helpers.js'

/** Handlebars itself, with the language's helpers: the meaning of everything else is its own. */
const reference = Handlebars.create()
for (const [name, help] of Object.entries(inlineHelpers))
  reference.registerHelper(name, (...args: unknown[]) => help(renderBudget(), args.slice(0, -1)))
/** `each` as Handlebars' own is written, with `skip` and `limit`. */
reference.registerHelper('each', function (this: unknown, items: unknown, options: Handlebars.HelperOptions) {
  const { skip = 0, limit } = options.hash as { skip?: string | number; limit?: number }
  const all = typeof items === 'object' && items !== null ? Object.entries(items) : []
  const entries = all.slice(Number(skip), limit === undefined ? undefined : Number(skip) + limit)
  if (entries.length === 0) return options.inverse(this)
  return entries
    .map(([name, item], index) => {
      const key = Array.isArray(items) ? Number(name) : name
      const data = reference.createFrame(options.data)
      Object.assign(data, { key, index, first: index === 0, last: index === entries.length - 1 })
      return options.fn(item, { data, blockParams: [item, key] })
    })
    .join('')
})

/** What Handlebars alone makes of the template. */
export const handlebarsRenders = (source: string, format: TemplateOutputFormat, context: Record<string, unknown>) =>
  reference.compile(source, {
    noEscape: format === 'text',
    knownHelpersOnly: true,
    knownHelpers: Object.fromEntries(Object.keys(helperSignatures).map((name) => [name, true])),
  })(context, { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false })
