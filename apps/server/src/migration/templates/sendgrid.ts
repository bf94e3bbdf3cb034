import {
  openBlockStack,
  quotedHandlebarsText,
  type TemplateDialectForFields,
  unknownTagReason,
  untranslatable,
} from './translation.js'

/**
 * SendGrid's own helpers are translated; all else stays:
 * https://www.twilio.com/docs/sendgrid/ui/sending-email/how-to-send-an-email-with-dynamic-templates
 */
const pattern = /\{\{\{?([^{}]{0,1000})\}?\}\}|\[(?:unsubscribe|Unsubscribe_Preferences|weblink)\]|<%[\w\s]{1,100}%>/g

const blockHelpers: Readonly<Record<string, (args: string) => string>> = {
  equals: (args) => `{{#if (EQ ${args})}}`,
  notEquals: (args) => `{{#unless (EQ ${args})}}`,
  and: (args) => `{{#if (AND ${args})}}`,
  or: (args) => `{{#if (OR ${args})}}`,
}

const known = new Set(['if', 'unless', 'each', 'with', 'lookup', 'else'])

const nameHere = (helper: string) => (helper === 'notEquals' ? 'unless' : 'if')

export const sendgridDialect: TemplateDialectForFields = () => {
  const blocks = openBlockStack()

  /** `{{insert name "default=friend"}}` */
  const inserted = (args: string): string => {
    const [, path = '', otherwise] = /^([\w.@]+)(?:\s+"default=([^"]*)")?$/.exec(args) ?? []
    if (path === '') return untranslatable(unknownTagReason)
    if (otherwise === undefined) return `{{${path}}}`
    return `{{DEFAULT ${path} ${quotedHandlebarsText(otherwise)}}}`
  }

  const tag = ([whole, inner]: RegExpExecArray): string => {
    if (inner === undefined) return whole === '[unsubscribe]' ? '{{unsubscribeLink}}' : untranslatable(unknownTagReason)
    const text = inner.trim()
    if (text === 'unsubscribe') return '{{unsubscribeLink}}'
    if (text === 'unsubscribe_preferences' || text === 'weblink') return untranslatable(unknownTagReason)
    const [, sign = '', name = '', args = ''] = /^([#/]?)(\w+)\s*(.*)$/s.exec(text) ?? []
    const helper = Object.hasOwn(blockHelpers, name) ? blockHelpers[name] : undefined
    if (sign === '#' && helper) {
      blocks.enter(name)
      return helper(args)
    }
    if (sign === '/' && helper) {
      const opened = blocks.close()
      return opened === name ? `{{/${nameHere(name)}}}` : untranslatable('Another block is open here.')
    }
    if (sign === '' && name === 'insert' && args !== '') return inserted(args)
    const isCall = sign === '#' || (sign === '' && args !== '' && /^\w+\s/.test(text))
    return isCall && !known.has(name) ? untranslatable(`Posthorn has no helper ${name}.`) : whole
  }

  return { pattern, tag, open: blocks.open }
}
