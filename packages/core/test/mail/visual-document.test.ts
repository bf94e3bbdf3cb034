import { blocked } from '@posthorn/core/ports/runtime'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { usesOf } from '../../src/mail/merge-tags.js'
import { onceRendered } from '../../src/sending/acceptance/content-snapshots.js'

describe('what a document uses', () => {
  it('is read from its texts, whatever editor made it', () => {
    const document = {
      type: 'page',
      rows: [
        {
          type: 'text',
          html: '{{#if contact.vip}}{{contact.name}}{{else}}{{DEFAULT design.texts.greeting "Hi"}}{{/if}}',
        },
        { tagName: 'mj-button', attributes: { type: 'none', href: '{{ verifyLink }}' } },
      ],
    }
    expect(usesOf(document)).toEqual({
      usedVariables: ['contact.name', 'contact.vip', 'design.texts.greeting', 'verifyLink'],
      usedComponents: ['mj-button', 'page', 'text'],
    })
  })

  it('spans texts where a block does, and leaves out what belongs to its loop', () => {
    const document = [{ a: '{{#each news.item}}' }, { b: '{{title}} {{@index}}' }, { c: '{{/each}}' }]
    expect(usesOf(document).usedVariables).toEqual(['news.item', 'title'])
  })

  it('is what can be read, where one of its texts cannot be', () => {
    expect(usesOf(['{{#each', '{{contact.name}}', '{{/if}}']).usedVariables).toEqual(['contact.name'])
  })

  it('is found at any depth', () => {
    const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], { type: 'seed', text: '{{x}}' })
    expect(usesOf(deep)).toEqual({ usedVariables: ['x'], usedComponents: ['seed'] })
  })

  it('is in one order, each once, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        const { usedVariables, usedComponents } = usesOf(document)
        for (const names of [usedVariables, usedComponents]) expect(names).toEqual([...new Set(names)].sort())
      }),
    )
  })
})

describe('a renderer asked once', () => {
  const asked: unknown[] = []
  const render = onceRendered(
    async (document) => {
      asked.push(document)
      if (document === 'bad') throw blocked('No')
      return `<p>${String(document)}</p>`
    },
    (text) => text,
  )

  it('is not asked again for the same document of a project, even while it answers', async () => {
    const [first, second] = await Promise.all([render('same', 'a'), render('same', 'a')])
    expect([first, second, await render('same', 'a')]).toEqual(Array(3).fill('<p>same</p>'))
    expect(asked.filter((one) => one === 'same')).toHaveLength(1)
    await render('same', 'b')
    expect(asked.filter((one) => one === 'same')).toHaveLength(2)
  })

  it('is asked again after it has failed', async () => {
    await expect(render('bad', 'a')).rejects.toThrow('No')
    await expect(render('bad', 'a')).rejects.toThrow('No')
    expect(asked.filter((one) => one === 'bad')).toHaveLength(2)
  })

  it('forgets by size what was not asked for lately', async () => {
    const large = (n: number) => `${n}${'x'.repeat(1_000_000)}`
    for (let n = 0; n < 20; n += 1) await render(large(n), 'a')
    await render(large(19), 'a')
    await render(large(0), 'a')
    expect(asked.filter((one) => one === large(19))).toHaveLength(1)
    expect(asked.filter((one) => one === large(0))).toHaveLength(2)
  })
})
