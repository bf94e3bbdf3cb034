import {
  type FieldOfExportName,
  openBlockStack,
  quotedHandlebarsText,
  type TemplateDialectForFields,
  templateDataPath,
  unknownExportFieldReason,
  unknownTagReason,
  untranslatable,
  withoutQuotationMarks,
} from './translation.js'

/** listmonk: https://listmonk.app/docs/templating/, with the syntax of https://pkg.go.dev/text/template */
const pattern = /\{\{([^{}]{0,1000})\}\}|\{\{|@TrackLink/g

const subscriberFields: Readonly<Record<string, string>> = { Email: 'contact.email', Name: 'contact.name' }

const operand = (text: string, fieldOf: FieldOfExportName): string => {
  const [, subscriber] = /^\.Subscriber\.(\w+)$/.exec(text) ?? []
  if (subscriber !== undefined)
    return (
      subscriberFields[subscriber] ??
      untranslatable(
        /^(?:First|Last)Name$/.test(subscriber)
          ? 'listmonk makes it from the name. Use {{contact.name}}, or a field of its own.'
          : unknownTagReason,
      )
    )
  const [, attribute] = /^\.Subscriber\.Attribs\.([\w.]+)$/.exec(text) ?? []
  if (attribute !== undefined) {
    const field = fieldOf(attribute)
    return field ? `contact.${field.name}` : untranslatable(unknownExportFieldReason(attribute))
  }
  const [, data] = /^\.Tx\.Data\.([\w.]+)$/.exec(text) ?? []
  if (data !== undefined) return templateDataPath(data)
  const plain = withoutQuotationMarks(text)
  if (plain !== undefined) return quotedHandlebarsText(plain)
  return /^-?\d+(?:\.\d+)?$/.test(text) ? text : untranslatable(unknownTagReason)
}

const helpers: Readonly<Record<string, readonly [arity: number, write: (...args: readonly string[]) => string]>> = {
  eq: [2, (a, b) => `(EQ ${a} ${b})`],
  ne: [2, (a, b) => `(NOT (EQ ${a} ${b}))`],
  not: [1, (a) => `(NOT ${a})`],
  and: [2, (a, b) => `(AND ${a} ${b})`],
  or: [2, (a, b) => `(OR ${a} ${b})`],
}

const wordsIn = (text: string): readonly string[] => text.match(/"[^"]*"|[^\s"]+/g) ?? []

const condition = (text: string, fieldOf: FieldOfExportName): string => {
  const [first = '', ...others] = wordsIn(text)
  const helper = Object.hasOwn(helpers, first) ? helpers[first] : undefined
  if (!helper) return others.length === 0 ? operand(first, fieldOf) : untranslatable(unknownTagReason)
  const [arity, write] = helper
  if (others.length !== arity) return untranslatable(unknownTagReason)
  return write(...others.map((one) => operand(one, fieldOf)))
}

const functions: Readonly<Record<string, string>> = {
  UnsubscribeURL: '{{unsubscribeLink}}',
  // Posthorn adds its own pixel.
  TrackView: '',
}

const trimmed = (inner: string) => {
  const [left, right] = [/^-\s/.test(inner) ? '~' : '', /\s-$/.test(inner) ? '~' : '']
  return { left, right, text: inner.slice(left.length, inner.length - right.length).trim() }
}

export const goDialect: TemplateDialectForFields = (fieldOf) => {
  const blocks = openBlockStack()

  const statement = (text: string, left: string, right: string): string | undefined => {
    const [, keyword, rest = ''] = /^(if|else if|else|end)\b\s*(.*)$/s.exec(text) ?? []
    if (keyword === 'if') {
      blocks.enter('if')
      return `{{${left}#if ${condition(rest, fieldOf)}${right}}}`
    }
    if (keyword === 'else if') return `{{${left}else if ${condition(rest, fieldOf)}${right}}}`
    if (keyword === 'else') return `{{${left}else${right}}}`
    if (keyword === undefined) return undefined
    return blocks.close() === 'if' ? `{{${left}/if${right}}}` : untranslatable(unknownTagReason)
  }

  const call = (text: string, left: string, right: string): string => {
    const [name = '', argument = '', ...others] = wordsIn(text)
    const result = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (result !== undefined && (argument === '' || argument === '.'))
      return left + right === '' ? result : untranslatable('The blanks around it would stay.')
    const link = name === 'TrackLink' ? withoutQuotationMarks(argument) : undefined
    if (link !== undefined && others.every((one) => one === '.')) return link
    if (name === 'template')
      return untranslatable('Posthorn has no layouts: put the design into each email, or into a visual template.')
    if (/^(?:range|with|block|define)$/.test(name)) blocks.enter(name)
    return argument === '' ? `{{${left}${operand(name, fieldOf)}${right}}}` : untranslatable(unknownTagReason)
  }

  const tag = ([whole, inner]: RegExpExecArray): string => {
    if (whole === '@TrackLink') return ''
    if (inner === undefined) return untranslatable('The tag is not closed, or too long.')
    const { left, right, text } = trimmed(inner)
    if (text.startsWith('/*')) return left + right === '' ? '' : `{{${left}!-- --${right}}}`
    return statement(text, left, right) ?? call(text, left, right)
  }

  return { pattern, tag, open: blocks.open }
}
