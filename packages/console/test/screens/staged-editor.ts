import type { Page } from 'playwright-core'
import { wrapInHelper } from '../../src/editor/visual/block-helpers.js'
import { createBlock, emptyDocument, section } from '../../src/editor/visual/blocks.js'
import type { MjmlNode } from '../../src/editor/visual/document.js'
import { starters } from '../../src/templates/starters.js'
import { edited } from './edited.js'

const words = {
  text: 'Four evenings, four readers and one lamp. Doors open at seven; bring a cushion.',
  button: 'Reserve a seat',
  heading: 'Advent reading nights',
}

/** The design system's logo is on another host. */
const logo = 'data:image/gif;base64,R0lGODlhAQABAIAAAAtdZgAAACwAAAAAAQABAAACAkQBADs='
const starter = JSON.parse(
  JSON.stringify(starters.newsletter(words)).replace('{{design.images.logo}}', logo),
) as MjmlNode

const newsletter = wrapInHelper(starter, { parent: [0], start: 1, end: 2 }, 'if', 'contact.city')

const withDocument = (document: MjmlNode | undefined) => (page: Page) =>
  edited(page, /^\/campaigns\/\w+$/, (campaign) => ({ ...campaign, type: 'visual', document }))

export const visualDraft = withDocument(newsletter)
export const socialVisualDraft = withDocument({
  ...emptyDocument,
  children: [{ tagName: 'mj-body', children: [section([createBlock('social', words)])] }],
})
export const emptyVisualDraft = withDocument(undefined)

/** With an element that MJML does not have, and a text that is no rich text. */
export const strangeVisualDraft = withDocument({
  ...emptyDocument,
  children: [
    {
      tagName: 'mj-body',
      children: [
        { tagName: 'mj-countdown', attributes: { until: '2027-01-01' } },
        {
          tagName: 'mj-section',
          children: [
            { tagName: 'mj-column', children: [{ tagName: 'mj-text', content: '<div class="old">Old</div>' }] },
          ],
        },
      ],
    },
  ],
})
