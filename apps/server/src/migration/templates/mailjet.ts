import {
  openBlockStack,
  quotedHandlebarsText,
  type TemplateDialectForFields,
  templateDataPath,
  type Untranslatable,
  unknownExportFieldReason,
  unknownTagReason,
  untranslatable,
  withoutQuotationMarks,
} from './translation.js'

/** https://dev.mailjet.com/template-language/reference/; tags of campaigns are in square brackets. */
const pattern = /\{\{([^{}]{0,1000})\}\}|\{%([^%{}]{0,1000})%\}|\[\[([^[\]]{1,200})\]\]|\{\{/g

export const mailjetDialect: TemplateDialectForFields = (fieldOf) => {
  const blocks = openBlockStack()

  const variable = (kind: string, name: string): string | Untranslatable => {
    if (kind === 'var') return templateDataPath(name) ?? untranslatable('The name means something else in Posthorn.')
    const field = fieldOf(name === 'name' ? 'Last name' : name)
    return field ? `contact.${field.name}` : untranslatable(unknownExportFieldReason(name))
  }

  const printed = (text: string): string | Untranslatable => {
    const [, kind = '', name = '', otherwise] = /^(var|data):([\w.]+)(?::(.*))?$/s.exec(text) ?? []
    if (kind === '') return untranslatable(unknownTagReason)
    const path = variable(kind, name)
    if (typeof path !== 'string') return path
    const given = otherwise?.trim() ?? ''
    const plain = withoutQuotationMarks(given) ?? given
    if (plain === '') return `{{${path}}}`
    const quoted = quotedHandlebarsText(plain)
    return quoted === undefined ? untranslatable('The default has quotes.') : `{{DEFAULT ${path} ${quoted}}}`
  }

  const condition = (text: string): string | Untranslatable => {
    const [, kind = '', name = '', , value] =
      /^(var|data):([\w.]+)(?::"")?(\s*={1,3}\s*("[^"]*"|'[^']*'))?$/.exec(text) ?? []
    if (kind === '') return untranslatable('Only a variable, and its equality with a text, can be a condition.')
    const path = variable(kind, name)
    if (typeof path !== 'string' || value === undefined) return path
    const quoted = quotedHandlebarsText(withoutQuotationMarks(value) ?? '')
    return quoted === undefined ? untranslatable(unknownTagReason) : `(EQ ${path} ${quoted})`
  }

  const statement = (text: string): string | Untranslatable => {
    const [, keyword = '', rest = ''] = /^(\w+)\s*(.*)$/s.exec(text) ?? []
    if (keyword === 'if' || keyword === 'elseif') {
      if (keyword === 'if') blocks.enter('if')
      const expression = condition(rest.trim())
      if (typeof expression !== 'string') return expression
      return keyword === 'if' ? `{{#if ${expression}}}` : `{{else if ${expression}}}`
    }
    if (keyword === 'else') return blocks.isOpen() ? '{{else}}' : untranslatable('No block is open here.')
    if (keyword === 'for') blocks.enter('for')
    if (keyword !== 'endif' && keyword !== 'endfor') return untranslatable(unknownTagReason)
    const name = blocks.close()
    if (name === undefined) return untranslatable('No block is open here.')
    return name === 'if' ? '{{/if}}' : untranslatable(unknownTagReason)
  }

  const bracketed = (whole: string, text: string): string | Untranslatable => {
    if (text === 'EMAIL_TO') return '{{contact.email}}'
    if (/^UNSUB_LINK_[A-Z]{2}$/.test(text)) return '{{unsubscribeLink}}'
    if (/^(?:var|data):/.test(text)) return printed(text)
    return /^[A-Z_]+$|^mj:/.test(text) ? untranslatable(unknownTagReason) : whole
  }

  const tag = ([whole, expression, control, bracket]: RegExpExecArray): string | Untranslatable => {
    if (control !== undefined) return statement(control.trim())
    if (bracket !== undefined) return bracketed(whole, bracket.trim())
    if (expression === undefined) return untranslatable('The tag is not closed, or too long.')
    return printed(expression.trim())
  }

  return { pattern, tag, open: blocks.open }
}
