import {
  type KnownField,
  openBlockStack,
  quotedHandlebarsText,
  type TemplateDialectForFields,
  unknownTagReason,
  untranslatable,
} from './translation.js'

/** Mailchimp: https://mailchimp.com/help/all-the-merge-tags-cheat-sheet/ and https://mailchimp.com/help/use-conditional-merge-tag-blocks/ */
const pattern = /\*\|([^|*]{1,200})\|\*|\{\{/g

/** Merge tags of the fields that every audience has, by their heading in the export. */
const standardFields: Readonly<Record<string, string>> = {
  FNAME: 'First name',
  LNAME: 'Last name',
  ADDRESS: 'Address',
  PHONE: 'Phone Number',
  BIRTHDAY: 'Birthday',
  COMPANY: 'Company',
}

const others: Readonly<Record<string, string>> = { EMAIL: '{{contact.email}}', UNSUB: '{{unsubscribeLink}}' }

const unknownMergeTag = (tag: string) => untranslatable(`No column of the export is called ${tag}.`)

export const mergeTagDialect: TemplateDialectForFields = (fieldOf) => {
  const blocks = openBlockStack()
  const fieldFor = (tag: string): KnownField | undefined => fieldOf(standardFields[tag] ?? tag)

  /** `FNAME` and `FNAME=Ada`; `!=` and comparisons of numbers have no equal. */
  const condition = (text: string): string => {
    const [, tag = '', value] = /^(\w+)(?:\s*=\s*(.*))?$/.exec(text.trim()) ?? []
    if (tag === '') return untranslatable(unknownTagReason)
    const field = fieldFor(tag)
    if (!field) return unknownMergeTag(tag)
    if (value === undefined) return `contact.${field.name}`
    const onlyTexts = 'Only texts can be compared.'
    if (field.type !== 'string') return untranslatable(onlyTexts)
    return `(EQ contact.${field.name} ${quotedHandlebarsText(value, onlyTexts)})`
  }

  const opened = (name: 'if' | 'unless', text: string) => {
    blocks.enter(name)
    return `{{#${name} ${condition(text)}}}`
  }

  const tag = ([, inner]: RegExpExecArray): string => {
    if (inner === undefined) return untranslatable('Mailchimp prints it, and Posthorn would read it as a merge tag.')
    const text = inner.trim()
    if (text.startsWith('IF:')) return opened('if', text.slice(3))
    if (text.startsWith('IFNOT:')) return opened('unless', text.slice(6))
    if (text.startsWith('ELSEIF:')) return `{{else if ${condition(text.slice(7))}}}`
    if (text === 'ELSE:') return blocks.otherwise()
    if (text === 'END:IF') return blocks.end()
    const known = Object.hasOwn(others, text) ? others[text] : undefined
    if (known !== undefined) return known
    if (!/^\w+$/.test(text)) return untranslatable(unknownTagReason)
    const field = fieldFor(text)
    return field ? `{{contact.${field.name}}}` : unknownMergeTag(text)
  }

  return { pattern, tag, open: blocks.open }
}
