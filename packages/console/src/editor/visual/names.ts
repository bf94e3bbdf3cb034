import type { Messages } from '../../text/en.js'
import type { Item } from './block-helpers.js'
import { type Comparison, conditionOf } from './conditions.js'
import type { MjmlNode } from './document.js'
import { decoded } from './markup.js'

type Key = keyof Messages

/** Elements and attributes that authors meet often. Others have MJML's own name. */
const elementKeys: Readonly<Record<string, Key>> = {
  'mj-head': 'visualHead',
  'mj-body': 'visualBody',
  'mj-section': 'visualSection',
  'mj-column': 'visualColumn',
  'mj-wrapper': 'visualWrapper',
  'mj-text': 'visualText',
  'mj-image': 'visualImage',
  'mj-button': 'visualButton',
  'mj-divider': 'visualDivider',
  'mj-spacer': 'visualSpacer',
  'mj-social': 'visualSocial',
  'mj-social-element': 'visualSocialLink',
  'mj-hero': 'visualHero',
  'mj-raw': 'visualRaw',
  'mj-table': 'visualTable',
}

const attributeKeys: Readonly<Record<string, Key>> = {
  href: 'visualHref',
  src: 'visualSrc',
  alt: 'visualAlt',
  align: 'visualAlign',
  color: 'visualColour',
  'background-color': 'visualBackground',
  'font-family': 'visualFont',
  'font-size': 'visualFontSize',
  width: 'visualWidth',
  height: 'visualHeight',
  padding: 'visualPadding',
  'border-radius': 'visualCorners',
}

export const frequentAttributesOf = (tagName: unknown): readonly string[] =>
  tagName === 'mj-social-element' ? ['name', ...Object.keys(attributeKeys)] : Object.keys(attributeKeys)

/** By MJML's name of the icon. With `-noshare`, a link leads to its address instead of to the network's form for sharing it. */
export const socialNetworks: Readonly<Record<string, string>> = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  linkedin: 'LinkedIn',
  x: 'X',
  youtube: 'YouTube',
  pinterest: 'Pinterest',
  snapchat: 'Snapchat',
  tumblr: 'Tumblr',
  vimeo: 'Vimeo',
  soundcloud: 'SoundCloud',
  medium: 'Medium',
  xing: 'XING',
  github: 'GitHub',
  dribbble: 'Dribbble',
  web: 'Web',
}

type Say = (key: Key, values?: Readonly<Record<string, string>>) => string

export const elementName = (say: Say, tagName: string): string => {
  const key = Object.hasOwn(elementKeys, tagName) ? elementKeys[tagName] : undefined
  return key === undefined ? tagName : say(key)
}

export const attributeName = (say: Say, tagName: unknown, name: string): string => {
  if (tagName === 'mj-social-element' && name === 'name') return say('visualNetwork')
  const key = Object.hasOwn(attributeKeys, name) ? attributeKeys[name] : undefined
  return key === undefined ? name : say(key)
}

export const comparisonKeys = {
  filled: 'opNotEmpty',
  empty: 'opEmpty',
  equals: 'opEquals',
  differs: 'opNotEquals',
  contains: 'opContains',
  lacks: 'opNotContains',
} as const satisfies Readonly<Record<Comparison, Key>>

/** A condition in words; one that is a name alone asks whether it is filled. */
const conditionName = (say: Say, expression: string): string => {
  const condition = conditionOf(expression)
  if (!condition || condition.comparison === 'filled') return expression
  const { field, comparison, value } = condition
  return [field, say(comparisonKeys[comparison]), ...(comparison === 'empty' ? [] : [value])].join(' ')
}

const wrapperKeys = { if: 'visualIf', unless: 'visualUnless', each: 'visualEach' } as const

const longestBeginning = 40

const beginningOf = ({ tagName, attributes, content = '' }: MjmlNode): string => {
  const source = tagName === 'mj-image' || tagName === 'mj-social-element' ? String(attributes?.alt ?? '') : content
  const text = decoded(source.slice(0, 400).replace(/<[^<>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > longestBeginning ? `${text.slice(0, longestBeginning)}…` : text
}

export const itemName = (say: Say, { node, wrapper, branch }: Item): string => {
  if (wrapper) return say(wrapperKeys[wrapper.kind], { name: conditionName(say, wrapper.expression) })
  if (branch)
    return branch.expression === undefined
      ? say('visualElse')
      : say('visualElseIf', { name: conditionName(say, branch.expression) })
  const beginning = beginningOf(node)
  const name = elementName(say, String(node.tagName))
  return beginning === '' ? name : `${name}: ${beginning}`
}
