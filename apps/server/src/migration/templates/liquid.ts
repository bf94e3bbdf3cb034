import {
  openBlockStack,
  quotedHandlebarsText,
  type TemplateDialectForFields,
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

  const contactPath = (name: string): string => {
    if (name === 'email') return 'contact.email'
    const source = contactFields[name] ?? /^data\.(.+)$/.exec(name)?.[1]
    if (source === undefined) return untranslatable(unknownTagReason)
    const field = fieldOf(source)
    return field ? `contact.${field.name}` : untranslatable(unknownExportFieldReason(source))
  }

  const path = (text: string): string => {
    const [, name] = /^contact\.([\w.]+)$/.exec(text) ?? []
    if (name !== undefined) return contactPath(name)
    return text === 'unsubscribe_link' ? 'unsubscribeLink' : untranslatable(unknownTagReason)
  }

  const printed = (text: string): string => {
    const [, left = '', otherwise] = /^([\w.]+)(?:\s*\|\s*default:\s*("[^"]*"|'[^']*'))?$/.exec(text) ?? []
    if (left === '')
      return untranslatable(text.includes('|') ? 'Only the filter default has an equal.' : unknownTagReason)
    if (otherwise === undefined) return `{{${path(left)}}}`
    return `{{DEFAULT ${path(left)} ${quotedHandlebarsText(withoutQuotationMarks(otherwise) ?? '')}}}`
  }

  /** In Liquid 0 is true, and here it is not. */
  const condition = (text: string): string => {
    const [, left = '', value] = /^([\w.]+)(?:\s*==\s*("[^"]*"|'[^']*'))?$/.exec(text) ?? []
    if (left === '') return untranslatable('Only a field, and its equality with a text, can be a condition.')
    const expression = path(left)
    if (value !== undefined) return `(EQ ${expression} ${quotedHandlebarsText(withoutQuotationMarks(value) ?? '')})`
    const source = left.replace(/^contact\.(?:data\.)?/, '')
    return fieldOf(contactFields[source] ?? source)?.type === 'number'
      ? untranslatable('0 is true in Liquid, and not in Posthorn.')
      : expression
  }

  const conditional = (keyword: string, rest: string): string => {
    if (keyword !== 'elsif') blocks.enter(keyword)
    const expression = condition(rest.trim())
    return keyword === 'elsif' ? `{{else if ${expression}}}` : `{{#${keyword} ${expression}}}`
  }

  const statement = (text: string): string => {
    const [, keyword = '', rest = ''] = /^(\w+)\s*(.*)$/s.exec(text.replace(/^-|-$/g, '').trim()) ?? []
    if (/^-|-$/.test(text)) return untranslatable('Blanks around statements cannot be removed.')
    if (keyword === 'if' || keyword === 'unless' || keyword === 'elsif') return conditional(keyword, rest)
    if (keyword === 'else') return blocks.otherwise()
    return keyword === 'endif' || keyword === 'endunless' ? blocks.end() : untranslatable(unknownTagReason)
  }

  const tag = ([, expression, control]: RegExpExecArray): string => {
    if (control !== undefined) return statement(control.trim())
    if (expression === undefined) return untranslatable('The tag is not closed, or too long.')
    return printed(expression.trim())
  }

  return { pattern, tag, open: blocks.open }
}
