import {
  openBlockStack,
  quotedHandlebarsText,
  type TemplateDialectForFields,
  templateDataPath,
  unknownExportFieldReason,
  unknownTagReason,
  untranslatable,
  withoutQuotationMarks,
} from './translation.js'

/** https://dev.mailjet.com/template-language/reference/; tags of campaigns are in square brackets. */
const pattern = /\{\{([^{}]{0,1000})\}\}|\{%([^%{}]{0,1000})%\}|\[\[([^[\]]{1,200})\]\]|\{\{/g

export const mailjetDialect: TemplateDialectForFields = (fieldOf) => {
  const blocks = openBlockStack()

  const variable = (kind: string, name: string): string => {
    if (kind === 'var') return templateDataPath(name)
    const field = fieldOf(name === 'name' ? 'Last name' : name)
    return field ? `contact.${field.name}` : untranslatable(unknownExportFieldReason(name))
  }

  const printed = (text: string): string => {
    const [, kind = '', name = '', otherwise] = /^(var|data):([\w.]+)(?::(.*))?$/s.exec(text) ?? []
    if (kind === '') return untranslatable(unknownTagReason)
    const path = variable(kind, name)
    const given = otherwise?.trim() ?? ''
    const plain = withoutQuotationMarks(given) ?? given
    if (plain === '') return `{{${path}}}`
    return `{{DEFAULT ${path} ${quotedHandlebarsText(plain, 'The default has quotes.')}}}`
  }

  const condition = (text: string): string => {
    const [, kind = '', name = '', , value] =
      /^(var|data):([\w.]+)(?::"")?(\s*={1,3}\s*("[^"]*"|'[^']*'))?$/.exec(text) ?? []
    if (kind === '') return untranslatable('Only a variable, and its equality with a text, can be a condition.')
    const path = variable(kind, name)
    return value === undefined ? path : `(EQ ${path} ${quotedHandlebarsText(withoutQuotationMarks(value) ?? '')})`
  }

  const statement = (text: string): string => {
    const [, keyword = '', rest = ''] = /^(\w+)\s*(.*)$/s.exec(text) ?? []
    if (keyword === 'if' || keyword === 'elseif') {
      if (keyword === 'if') blocks.enter('if')
      const expression = condition(rest.trim())
      return keyword === 'if' ? `{{#if ${expression}}}` : `{{else if ${expression}}}`
    }
    if (keyword === 'else') return blocks.otherwise()
    if (keyword === 'for') blocks.enter('for')
    if (keyword !== 'endif' && keyword !== 'endfor') return untranslatable(unknownTagReason)
    return blocks.close() === 'if' ? '{{/if}}' : untranslatable(unknownTagReason)
  }

  const bracketed = (whole: string, text: string): string => {
    if (text === 'EMAIL_TO') return '{{contact.email}}'
    if (/^UNSUB_LINK_[A-Z]{2}$/.test(text)) return '{{unsubscribeLink}}'
    if (/^(?:var|data):/.test(text)) return printed(text)
    return /^[A-Z_]+$|^mj:/.test(text) ? untranslatable(unknownTagReason) : whole
  }

  const tag = ([whole, expression, control, bracket]: RegExpExecArray): string => {
    if (control !== undefined) return statement(control.trim())
    if (bracket !== undefined) return bracketed(whole, bracket.trim())
    if (expression === undefined) return untranslatable('The tag is not closed, or too long.')
    return printed(expression.trim())
  }

  return { pattern, tag, open: blocks.open }
}
