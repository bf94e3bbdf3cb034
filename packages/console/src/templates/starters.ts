import { button, element, leaf, section, text, type Words } from '../editor/visual/blocks.js'
import type { MjmlNode } from '../editor/visual/document.js'
import type { Messages } from '../text/en.js'

const page = (...children: readonly MjmlNode[]): MjmlNode =>
  element('mjml', {}, [element('mj-body', { 'background-color': '{{design.colors.background}}' }, children)])

const heading = (content: string) =>
  text(content, {
    color: '{{design.colors.heading}}',
    'font-family': '{{design.fontStacks.heading}}',
    'font-size': '28px',
    'line-height': '36px',
  })
const small = (content: string) =>
  text(content, { color: '{{design.colors.muted}}', 'font-size': '13px', 'line-height': '20px' })

const logo = leaf('mj-image', '', {
  src: '{{design.images.logo}}',
  alt: '{{design.texts.company}}',
  width: '140px',
})
const footer = section([
  leaf('mj-divider', '', { 'border-color': '{{design.colors.border}}', 'border-width': '1px' }),
  small('{{design.texts.reason}} <a href="{{unsubscribeLink}}">{{design.texts.unsubscribe}}</a>'),
  small('{{design.texts.company}}, {{design.texts.address}}'),
])
const link = '{{design.links.website}}'

/** Everything that a project may change comes from its design system. */
export const starters = {
  letter: (words) =>
    page(
      section([
        text('{{design.texts.greeting}} {{contact.name}},'),
        text(words.text),
        text('{{design.texts.signature}}<br>{{design.texts.company}}'),
      ]),
      footer,
    ),
  newsletter: (words) =>
    page(section([logo]), section([heading(words.heading), text(words.text), button(words.button, link)]), footer),
  notice: (words) =>
    page(
      section([heading(words.heading), text(words.text), button(words.button, link)]),
      section([small('{{design.texts.company}}')]),
    ),
  empty: () => page(section([text('')])),
} as const satisfies Readonly<Record<string, (words: Words) => MjmlNode>>
export type Starter = keyof typeof starters

export const isStarter = (name: string): name is Starter => Object.hasOwn(starters, name)

export const starterLabels = {
  letter: 'starterLetter',
  newsletter: 'starterNewsletter',
  notice: 'starterNotice',
  empty: 'starterEmpty',
} as const satisfies Record<Starter, keyof Messages>
