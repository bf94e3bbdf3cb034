import type { Messages } from '../text/en.js'

type Element = {
  readonly tagName: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly content?: string
  readonly children?: readonly Element[]
}

const element = (tagName: string, attributes: Element['attributes'], children: readonly Element[] = []): Element => ({
  tagName,
  ...(attributes && { attributes }),
  ...(children.length > 0 && { children }),
})
const text = (content: string, attributes?: Element['attributes']): Element => ({
  tagName: 'mj-text',
  ...(attributes && { attributes }),
  content,
})
const section = (children: readonly Element[], attributes: Element['attributes'] = {}): Element =>
  element('mj-section', { 'background-color': '{{design.colors.surface}}', ...attributes }, [
    element('mj-column', undefined, children),
  ])

const head = element('mj-head', undefined, [
  element('mj-attributes', undefined, [
    element('mj-all', { 'font-family': '{{design.fontStacks.body}}' }),
    element('mj-text', { color: '{{design.colors.text}}', 'font-size': '16px', 'line-height': '26px' }),
  ]),
])

const page = (...children: readonly Element[]): Element => ({
  tagName: 'mjml',
  attributes: {},
  children: [head, element('mj-body', { 'background-color': '{{design.colors.background}}' }, children)],
})

const heading = (content: string): Element =>
  text(content, {
    color: '{{design.colors.heading}}',
    'font-family': '{{design.fontStacks.heading}}',
    'font-size': '28px',
    'line-height': '36px',
  })
const button = (content: string): Element => ({
  tagName: 'mj-button',
  attributes: {
    href: '{{design.links.website}}',
    'background-color': '{{design.colors.primary}}',
    color: '{{design.colors.onPrimary}}',
    'border-radius': '6px',
  },
  content,
})
const small = (content: string): Element =>
  text(content, { color: '{{design.colors.muted}}', 'font-size': '13px', 'line-height': '20px' })

const footer = section([
  element('mj-divider', { 'border-color': '{{design.colors.border}}', 'border-width': '1px' }),
  small('{{design.texts.reason}} <a href="{{unsubscribeLink}}">{{design.texts.unsubscribe}}</a>'),
  small('{{design.texts.company}}, {{design.texts.address}}'),
])
const greeting = text('{{design.texts.greeting}} {{contact.name}},')

type Words = { readonly title: string; readonly text: string; readonly button: string }

/** What a template may begin with. They take everything that a project may change from its design system. */
const starters = {
  letter: ({ text: words }) =>
    page(section([greeting, text(words), text('{{design.texts.signature}}<br>{{design.texts.company}}')]), footer),
  newsletter: ({ title, text: words, button: more }) =>
    page(
      section([heading(title), greeting, text(words), button(more)]),
      section([heading(title), text(words), button(more)]),
      footer,
    ),
  notice: ({ title, text: words, button: more }) =>
    page(section([heading(title), text(words), button(more)]), section([small('{{design.texts.company}}')])),
  empty: () => page(section([text('')])),
} as const satisfies Readonly<Record<string, (words: Words) => Element>>
export type Starter = keyof typeof starters

export const isStarter = (name: string): name is Starter => Object.hasOwn(starters, name)

/** In the language of `say`. */
export const starterOf = (name: Starter, say: (key: keyof Messages) => string): Element =>
  starters[name]({ title: say('starterTitle'), text: say('starterText'), button: say('starterButton') })

export const starterLabels = {
  letter: 'starterLetter',
  newsletter: 'starterNewsletter',
  notice: 'starterNotice',
  empty: 'starterEmpty',
} as const satisfies Record<Starter, keyof Messages>
