import { blocked } from '@posthorn/core/ports/runtime'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { variablesAndComponentsIn } from '../../src/mail/merge-tags.js'
import { cachedVisualRenderer } from '../../src/sending/acceptance/content-snapshots.js'

describe('the variables and components of a document', () => {
  it('are read from the texts of any editor’s document', () => {
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
    expect(variablesAndComponentsIn(document)).toEqual({
      usedVariables: ['contact.name', 'contact.vip', 'design.texts.greeting', 'verifyLink'],
      usedComponents: ['mj-button', 'page', 'text'],
    })
  })

  it('span texts like blocks do, and exclude a loop’s own names', () => {
    const document = [{ a: '{{#each news.item}}' }, { b: '{{title}} {{@index}}' }, { c: '{{/each}}' }]
    expect(variablesAndComponentsIn(document).usedVariables).toEqual(['news.item', 'title'])
  })

  it('include what can be read if one text is invalid', () => {
    expect(variablesAndComponentsIn(['{{#each', '{{contact.name}}', '{{/if}}']).usedVariables).toEqual(['contact.name'])
  })

  it('are found at any depth', () => {
    const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], { type: 'seed', text: '{{x}}' })
    expect(variablesAndComponentsIn(deep)).toEqual({ usedVariables: ['x'], usedComponents: ['seed'] })
  })

  it('are sorted and unique for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        const { usedVariables, usedComponents } = variablesAndComponentsIn(document)
        for (const names of [usedVariables, usedComponents]) expect(names).toEqual([...new Set(names)].sort())
      }),
    )
  })
})

describe('a cached renderer', () => {
  const asked: unknown[] = []
  const render = cachedVisualRenderer(
    async (document) => {
      asked.push(document)
      if (document === 'bad') throw blocked('No')
      return `<p>${String(document)}</p>`
    },
    (text) => text,
  )

  it('renders a document once per project, also for concurrent calls', async () => {
    const [first, second] = await Promise.all([render('same', 'a'), render('same', 'a')])
    expect([first, second, await render('same', 'a')]).toEqual(Array(3).fill('<p>same</p>'))
    expect(asked.filter((one) => one === 'same')).toHaveLength(1)
    await render('same', 'b')
    expect(asked.filter((one) => one === 'same')).toHaveLength(2)
  })

  it('renders again after a failure', async () => {
    await expect(render('bad', 'a')).rejects.toThrow('No')
    await expect(render('bad', 'a')).rejects.toThrow('No')
    expect(asked.filter((one) => one === 'bad')).toHaveLength(2)
  })

  it('evicts by size what was not used lately', async () => {
    const large = (n: number) => `${n}${'x'.repeat(1_000_000)}`
    for (let n = 0; n < 20; n += 1) await render(large(n), 'a')
    await render(large(19), 'a')
    await render(large(0), 'a')
    expect(asked.filter((one) => one === large(19))).toHaveLength(1)
    expect(asked.filter((one) => one === large(0))).toHaveLength(2)
  })
})
