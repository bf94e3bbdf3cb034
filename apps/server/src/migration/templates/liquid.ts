import {
  openBlockStack,
  quotedHandlebarsText,
  type TemplateDialectForFields,
  type Untranslatable,
  unknownExportFieldReason,
  unknownTagReason,
  untranslatable,
  withoutQuotationMarks,
} from './translation.js'

/** Keila's campaigns, with the syntax of https://shopify.github.io/liquid/ */
const pattern = /\{\{([^{}]{0,1000})\}\}|\{%([^%{}]{0,1000})%\}|\{\{/g

const contactFields: Readonly<Record<string, string>> = { first_name: 'First name', last_name: 'Last name' }

export const liquidDialect: TemplateDialectForFields = (fieldOf) => {
  const blocks = openBlockStack()

  const contactPath = (name: string): string | Untranslatable => {
    if (name === 'email') return 'contact.email'
    const source = contactFields[name] ?? /^data\.(.+)$/.exec(name)?.[1]
    if (source === undefined) return untranslatable(unknownTagReason)
    const field = fieldOf(source)
    return field ? `contact.${field.name}` : untranslatable(unknownExportFieldReason(source))
  }

  const path = (text: string): string | Untranslatable => {
    const [, name] = /^contact\.([\w.]+)$/.exec(text) ?? []
    if (name !== undefined) return contactPath(name)
    return text === 'unsubscribe_link' ? 'unsubscribeLink' : untranslatable(unknownTagReason)
  }

  const printed = (text: string): string | Untranslatable => {
    const [, left = '', otherwise] = /^([\w.]+)(?:\s*\|\s*default:\s*("[^"]*"|'[^']*'))?$/.exec(text) ?? []
    if (left === '')
      return untranslatable(text.includes('|') ? 'Only the filter default has an equal.' : unknownTagReason)
    const expression = path(left)
    if (typeof expression !== 'string' || otherwise === undefined)
      return typeof expression !== 'string' ? expression : `{{${expression}}}`
    const quoted = quotedHandlebarsText(withoutQuotationMarks(otherwise) ?? '')
    return quoted === undefined ? untranslatable(unknownTagReason) : `{{DEFAULT ${expression} ${quoted}}}`
  }

  /** In Liquid 0 is true, and here it is not. */
  const condition = (text: string): string | Untranslatable => {
    const [, left = '', value] = /^([\w.]+)(?:\s*==\s*("[^"]*"|'[^']*'))?$/.exec(text) ?? []
    if (left === '') return untranslatable('Only a field, and its equality with a text, can be a condition.')
    const expression = path(left)
    if (typeof expression !== 'string') return expression
    if (value !== undefined) {
      const quoted = quotedHandlebarsText(withoutQuotationMarks(value) ?? '')
      return quoted === undefined ? untranslatable(unknownTagReason) : `(EQ ${expression} ${quoted})`
    }
    const source = left.replace(/^contact\.(?:data\.)?/, '')
    return fieldOf(contactFields[source] ?? source)?.type === 'number'
      ? untranslatable('0 is true in Liquid, and not in Posthorn.')
      : expression
  }

  const conditional = (keyword: string, rest: string): string | Untranslatable => {
    if (keyword !== 'elsif') blocks.enter(keyword)
    const expression = condition(rest.trim())
    if (typeof expression !== 'string') return expression
    return keyword === 'elsif' ? `{{else if ${expression}}}` : `{{#${keyword} ${expression}}}`
  }

  const statement = (text: string): string | Untranslatable => {
    const [, keyword = '', rest = ''] = /^(\w+)\s*(.*)$/s.exec(text.replace(/^-|-$/g, '').trim()) ?? []
    if (/^-|-$/.test(text)) return untranslatable('Blanks around statements cannot be removed.')
    if (keyword === 'if' || keyword === 'unless' || keyword === 'elsif') return conditional(keyword, rest)
    if (keyword === 'else') return blocks.isOpen() ? '{{else}}' : untranslatable('No block is open here.')
    if (keyword === 'endif' || keyword === 'endunless') {
      const name = blocks.close()
      return name === undefined ? untranslatable('No block is open here.') : `{{/${name}}}`
    }
    return untranslatable(unknownTagReason)
  }

  const tag = ([, expression, control]: RegExpExecArray): string | Untranslatable => {
    if (control !== undefined) return statement(control.trim())
    if (expression === undefined) return untranslatable('The tag is not closed, or too long.')
    return printed(expression.trim())
  }

  return { pattern, tag, open: blocks.open }
}
