import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addBranch,
  changeBranch,
  changeHelper,
  findItem,
  type Item,
  keyOf,
  outlineOf,
  unwrapHelper,
  wrapInHelper,
} from '../../src/editor/visual/block-helpers.js'
import { createBlock, emptyDocument, withSocialNetwork } from '../../src/editor/visual/blocks.js'
import { attributeTypeOf, componentOf } from '../../src/editor/visual/components.js'
import {
  everyNode,
  inserted,
  type MjmlNode,
  moved,
  nodeAt,
  nodesIn,
  type Path,
  removed,
  replaced,
  spanAt,
  withAttribute,
  withElementClasses,
} from '../../src/editor/visual/document.js'
import { changed, redone, startingWith, undone } from '../../src/editor/visual/history.js'
import { insertionOf, mayContain } from '../../src/editor/visual/insertion.js'
import { toMjml } from '../../src/editor/visual/mjml-text.js'
import { socialNetworks } from '../../src/editor/visual/names.js'
import { fits } from '../../src/editor/visual/outline.js'
import { starters } from '../../src/templates/starters.js'

const words = { text: 'Text', button: 'Button', heading: 'Heading' }

const { node } = fc.letrec<{ node: MjmlNode }>((tie) => ({
  node: fc.record(
    {
      tagName: fc.constantFrom('mjml', 'mj-body', 'mj-section', 'mj-column', 'mj-text', 'mj-raw', 'mj-unknown', 'div'),
      attributes: fc.dictionary(fc.constantFrom('color', 'css-class', 'strange'), fc.string()),
      content: fc.oneof(
        fc.string(),
        fc.constantFrom('{{#if a}}', '{{else}}', '{{else if b}}', '{{/if}}', '{{#each b}}', '{{/each}}'),
      ),
      children: fc.array(tie('node'), { maxLength: 4 }),
      file: fc.jsonValue(),
    },
    { requiredKeys: ['tagName'] },
  ) as fc.Arbitrary<MjmlNode>,
}))
const withPath = node.chain((root) =>
  fc.tuple(fc.constant(root), fc.constantFrom(...[...everyNode(root)].map(([, path]) => path))),
)
const json = (value: unknown) => JSON.stringify(value)

describe('a visual document', () => {
  it('is the same text after it was read and shown, whatever it contains', () => {
    fc.assert(
      fc.property(fc.oneof(node, fc.jsonValue() as fc.Arbitrary<unknown> as fc.Arbitrary<MjmlNode>), (root) => {
        const text = json(root)
        outlineOf(root)
        withElementClasses(root)
        expect(json(root)).toBe(text)
      }),
    )
  })

  it('keeps all other elements when one is changed', () => {
    fc.assert(
      fc.property(withPath, ([root, path]) => {
        const next = replaced(root, path, (one) => withAttribute(one, 'color', 'red'))
        for (const [one, at] of everyNode(root)) {
          const isAbove = at.length <= path.length && at.every((index, depth) => path[depth] === index)
          expect(isAbove || nodeAt(next, at) === one).toBe(true)
        }
        const { attributes, ...rest } = nodeAt(next, path) as MjmlNode
        const { attributes: before, ...restBefore } = nodeAt(root, path) as MjmlNode
        expect(rest).toEqual(restBefore)
        expect({ ...attributes, color: undefined }).toEqual({ ...before, color: undefined })
      }),
    )
  })

  it('loses nothing when an element is moved, and has it at the place', () => {
    const places = withPath.chain(([root, path]) =>
      fc.tuple(
        fc.constant(root),
        fc.constant(path),
        fc.constantFrom(...[...everyNode(root)].map(([, at]) => at)),
        fc.nat(4),
      ),
    )
    fc.assert(
      fc.property(places, ([root, path, parent, at]) => {
        if (path.length === 0) return
        const index = Math.min(at, nodeAt(root, parent)?.children?.length ?? 0)
        const result = moved(root, spanAt(path), { parent, index })
        const isInside = path.every((step, depth) => parent[depth] === step)
        expect(result === undefined).toBe(isInside)
        if (!result) return
        expect(nodeAt(result.root, result.path)).toBe(nodeAt(root, path))
        const texts = (of: MjmlNode) => [...everyNode(of)].map(([{ tagName }]) => tagName).sort()
        expect(texts(result.root)).toEqual(texts(root))
      }),
    )
  })

  it('is as before when what was inserted is removed', () => {
    fc.assert(
      fc.property(withPath, node, ([root, parent], one) => {
        const span = { parent, start: 0, end: 1 }
        const next = inserted(root, { parent, index: 0 }, [one])
        expect(nodesIn(next, span)).toEqual([one])
        const { children = [], ...rest } = nodeAt(removed(next, span), parent) as MjmlNode
        const { children: before = [], ...restBefore } = nodeAt(root, parent) as MjmlNode
        expect([rest, children]).toEqual([restBefore, before])
      }),
    )
  })

  it('has a class on each element of its body for the preview only', () => {
    const root = starters.newsletter(words)
    const { document, paths } = withElementClasses(root)
    expect(json(root)).not.toContain('posthorn-element')
    const classes = [...json(document).matchAll(/posthorn-element-(\d+)/g)].map(([, number]) => Number(number))
    expect(classes.length).toBeGreaterThan(8)
    for (const number of classes)
      expect(nodeAt(root, paths[number] as Path)?.tagName).toMatch(/^mj-(?!head|style|body)/)
  })
})

describe('an element with the name of a property that every object has', () => {
  const strange = ['constructor', 'toString', '__proto__', 'hasOwnProperty']

  it('is unknown, as are its attributes', () => {
    for (const name of strange) {
      expect(componentOf(name)).toBeUndefined()
      expect(attributeTypeOf(name, 'color')).toBeUndefined()
      expect(attributeTypeOf('mj-text', name)).toBeUndefined()
      expect(mayContain(name, 'mj-text')).toBe(false)
      expect(toMjml({ tagName: name })).toBe(`<${name}></${name}>\n`)
    }
    expect(attributeTypeOf('mj-text', 'color')).toBeDefined()
  })
})

describe('a condition', () => {
  const [path, section] = [[0, 1], spanAt([0, 1])]
  const root = starters.newsletter(words)

  it('is a wrapper in the outline, in which its elements are', () => {
    const next = wrapInHelper(root, section, 'if', 'contact.city')
    const item = findItem(outlineOf(next), keyOf(path))
    expect(item).toMatchObject({ wrapper: { kind: 'if', expression: 'contact.city' }, span: { start: 1, end: 4 } })
    expect(item?.children.map(({ node: { tagName } }) => tagName)).toEqual(['mj-section'])
    expect(json(unwrapHelper(next, item as never))).toBe(json(root))
    const loop = changeHelper(next, item as never, 'each', 'news.item')
    expect(findItem(outlineOf(loop), keyOf(path))?.wrapper).toEqual({ kind: 'each', expression: 'news.item' })
    expect(json(loop)).toContain('{{/each}}')
  })

  it('moves as a whole, and not into itself', () => {
    const next = wrapInHelper(root, section, 'if', 'a')
    const item = findItem(outlineOf(next), keyOf(path)) as NonNullable<ReturnType<typeof findItem>>
    expect(moved(next, item.span, { parent: [0], index: 2 })).toBeUndefined()
    const result = moved(next, item.span, { parent: [0], index: 5 })
    expect(result?.path).toEqual([0, 2])
    expect(findItem(outlineOf(result?.root as MjmlNode), '/0/2')?.children).toHaveLength(1)
  })

  it('that is not closed, or closed by another, is raw HTML', () => {
    const raw = (content: string) => ({ tagName: 'mj-raw', content })
    const outline = outlineOf({ tagName: 'mj-body', children: [raw('{{#if a}}'), raw('{{/each}}'), raw('{{/if}}')] })
    expect(outline.map(({ wrapper }) => wrapper)).toEqual([undefined, undefined, undefined])
  })

  it('may be in another', () => {
    const twice = wrapInHelper(wrapInHelper(root, section, 'if', 'a'), { parent: [0], start: 1, end: 4 }, 'unless', 'b')
    const item = findItem(outlineOf(twice), keyOf(path))
    expect(item?.wrapper?.kind).toBe('unless')
    expect(item?.children[0]?.wrapper?.kind).toBe('if')
  })
})

describe('an {{else}}', () => {
  const raw = (content: string): MjmlNode => ({ tagName: 'mj-raw', content })
  const text = (content: string): MjmlNode => ({ tagName: 'mj-text', content })
  const column = (...contents: readonly string[]): MjmlNode => ({
    tagName: 'mj-column',
    children: contents.map((content) => (content.includes('{{') ? raw(content) : text(content))),
  })
  const contents = (root: MjmlNode) => root.children?.map(({ content }) => content)
  const itemAt = (root: MjmlNode, key: string) => findItem(outlineOf(root), key) as Item
  const chain = column('{{#if a}}', 'A', '{{else if b}}', 'B', '{{else}}', 'C', '{{/if}}')

  it('has what stands between it and the next in the outline', () => {
    const shown = (items: readonly Item[]): unknown =>
      items.map(({ node, children }) => [node.content, shown(children)])
    expect(shown(outlineOf(chain))).toEqual([
      [
        '{{#if a}}',
        [
          ['A', []],
          ['{{else if b}}', [['B', []]]],
          ['{{else}}', [['C', []]]],
        ],
      ],
    ])
    expect(itemAt(chain, '/2').branch).toEqual({ expression: 'b' })
    expect(itemAt(chain, '/4').branch).toEqual({})
  })

  it('belongs to the innermost condition, and is raw HTML outside of all', () => {
    const nested = column('{{#each a}}', '{{#if b}}', '{{else}}', 'B', '{{/if}}', '{{/each}}', '{{else}}')
    expect(itemAt(nested, '/0').children.map(({ branch }) => branch)).toEqual([undefined])
    expect(itemAt(nested, '/1').children).toHaveLength(1)
    expect(itemAt(nested, '/6').branch).toBeUndefined()
  })

  it('is added once at the end, an {{else if}} before it', () => {
    const { root, key } = addBranch(
      column('{{#if a}}', 'A', '{{/if}}'),
      itemAt(column('{{#if a}}', 'A', '{{/if}}'), '/0'),
    )
    expect([contents(root), key]).toEqual([['{{#if a}}', 'A', '{{else}}', '{{/if}}'], '/2'])
    const twice = addBranch(root, itemAt(root, '/0'), 'b')
    expect([contents(twice.root), twice.key]).toEqual([
      ['{{#if a}}', 'A', '{{else if b}}', '{{else}}', '{{/if}}'],
      '/2',
    ])
    expect(contents(changeBranch(twice.root, itemAt(twice.root, '/2'), 'c'))?.[2]).toBe('{{else if c}}')
  })

  it('stays when its condition changes, and goes with it while all texts stay', () => {
    expect(contents(changeHelper(chain, itemAt(chain, '/0'), 'unless', 'x'))).toEqual([
      '{{#unless x}}',
      ...(contents(chain)?.slice(1, -1) ?? []),
      '{{/unless}}',
    ])
    expect(contents(unwrapHelper(chain, itemAt(chain, '/0')))).toEqual(['A', 'B', 'C'])
  })

  it('gets new elements at its end, its condition before the first branch', () => {
    const placed = (key: string) => insertionOf(chain, itemAt(chain, key), text('new'))?.place.index
    expect([placed('/0'), placed('/2'), placed('/4')]).toEqual([2, 4, 6])
  })

  it('is removed with its elements, and never moved', () => {
    expect(contents(removed(chain, itemAt(chain, '/2').span))).toEqual(['{{#if a}}', 'A', '{{else}}', 'C', '{{/if}}'])
    expect(fits(chain, itemAt(chain, '/2'), { parent: [], index: 0 })).toBe(false)
  })
})

describe('a new element', () => {
  const kinds = [
    'text',
    'image',
    'button',
    'divider',
    'spacer',
    'social',
    'raw',
    'hero',
    'columns1',
    'columns4',
  ] as const

  it('is only ever where MJML allows it, whatever is selected', () => {
    const root = wrapInHelper(starters.newsletter(words), spanAt([0, 1]), 'if', 'contact.city')
    const selections = [undefined, ...[...everyNode(root)].map(([, path]) => findItem(outlineOf(root), keyOf(path)))]
    for (const kind of kinds)
      for (const selected of selections) {
        const insertion = insertionOf(root, selected, createBlock(kind, words))
        const parent = nodeAt(root, insertion?.place.parent ?? [])?.tagName ?? ''
        expect(mayContain(parent, insertion?.nodes[0]?.tagName ?? ''), `${kind} in ${parent}`).toBe(true)
        expect(['mj-head', 'mjml']).not.toContain(parent)
      }
  })

  it('of social links leads to pages of networks that MJML has an icon for', () => {
    const source = readFileSync(createRequire(import.meta.url).resolve('mjml-social/lib/SocialElement.js'), 'utf8')
    for (const network of Object.keys(socialNetworks)) expect(source).toMatch(new RegExp(`^  ${network}: \\{`, 'm'))
    const links = createBlock('social', words).children ?? []
    expect(links.map(({ attributes }) => attributes)).toEqual(
      ['Facebook', 'Instagram', 'LinkedIn'].map((alt) => {
        const network = alt.toLowerCase()
        return { name: `${network}-noshare`, href: `{{design.links.${network}}}`, alt }
      }),
    )
  })

  it('of a social link follows its network, except what the author wrote', () => {
    const [facebook] = createBlock('social', words).children as [MjmlNode]
    const chosen = (attributes: MjmlNode['attributes'], name = 'youtube-noshare') =>
      withSocialNetwork({ ...facebook, attributes: { ...facebook.attributes, ...attributes } }, name, ['youtube'])
        .attributes
    const own = { href: 'https://example.com/us', alt: 'Our films' }
    expect(chosen(own)).toEqual({ ...own, name: 'youtube-noshare' })
    expect(chosen({})).toEqual({ name: 'youtube-noshare', href: '{{design.links.youtube}}', alt: 'YouTube' })
    expect(chosen({}, 'github-noshare')).toEqual({ name: 'github-noshare', alt: 'GitHub' })
    expect(chosen({}, 'github')).toEqual({ name: 'github', alt: 'GitHub' })
  })

  it('gets a section of its own in an empty document', () => {
    const insertion = insertionOf(emptyDocument, undefined, createBlock('text', words))
    expect(insertion).toMatchObject({ place: { parent: [0], index: 0 }, nodes: [{ tagName: 'mj-section' }] })
  })
})

describe('the history', () => {
  it('undoes and redoes any changes', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 20 }), (texts) => {
        const end = texts.reduce((history, text) => changed(history, text, '', 0), startingWith('start'))
        const back = texts.reduce((history) => undone(history), end)
        expect(back.now).toBe('start')
        expect(undone(back)).toBe(back)
        expect(texts.reduce((history) => redone(history), back).now).toBe(end.now)
      }),
    )
  })

  it('takes what is typed in one place within a second as one step', () => {
    const typed = changed(changed(changed(startingWith(''), 'a', 'text', 0), 'ab', 'text', 500), 'abc', 'text', 900)
    expect(undone(typed).now).toBe('')
    expect(undone(changed(typed, 'abcd', 'text', 2_500)).now).toBe('abc')
    expect(undone(changed(typed, 'x', 'other', 950)).now).toBe('abc')
    expect(undone(changed(undone(changed(typed, 'abcd', 'other', 950)), 'y', 'other', 960)).now).toBe('abc')
  })
})
