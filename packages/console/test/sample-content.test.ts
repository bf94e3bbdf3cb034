import { describe, expect, it } from 'vitest'
import { hasSampleContent } from '../src/campaigns/sample-content.js'
import { starters } from '../src/templates/starters.js'

const words = { text: 'Write your text here.', button: 'Read more', heading: 'What is new' }
const design = (website: string) => ({
  variables: {
    ...{ colors: [], fontStacks: [], texts: [], images: [] },
    links: [{ name: 'website', value: website }],
  },
})
const asText = (document: unknown) => JSON.stringify(document, undefined, 2)

describe('sample content', () => {
  it('is in every document of a starter but the empty one', () => {
    for (const [name, starter] of Object.entries(starters))
      expect([name, hasSampleContent(asText(starter(words)), words, null)]).toEqual([name, name !== 'empty'])
  })

  it('is a link to a domain for examples, written or from the design system', () => {
    expect(hasSampleContent('<a href="https://example.com/">x</a>', words, null)).toBe(true)
    expect(hasSampleContent('https://www.example.org', words, null)).toBe(true)
    expect(hasSampleContent('{{design.links.website}}', words, design('https://example.com/'))).toBe(true)
  })

  it('is no other link', () => {
    expect(hasSampleContent('https://example.company/ https://shop.example.com/', words, null)).toBe(false)
    expect(hasSampleContent('{{design.links.website}}', words, design('https://books.test/'))).toBe(false)
    expect(hasSampleContent('{{design.texts.company}}', words, design('https://example.com/'))).toBe(false)
  })
})
