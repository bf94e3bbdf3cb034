import { rest, type Scene, type Stage, unless } from '../scene.js'

const email = (document: unknown, more: object = {}) => ({
  name: 'Hostile',
  subject: 'Hostile',
  type: 'html',
  document,
  ...more,
})

/** Saves such an email and, where that is taken, sends it once with the data, and lets it be rendered. */
const sendOnce = async (
  { asAttacker, size }: Stage,
  document: unknown,
  { data, ...more }: { readonly data?: object; readonly previewText?: string } = {},
) => {
  const { status, result } = await asAttacker.post('/transactional-emails', email(document, more))
  if (status !== 201) return
  const { _id: transactionalId } = result as { _id: string }
  await asAttacker.post('/send-transactional', { transactionalId, email: 'reader@example.com', data })
  await rest(size(1500, 150))
}

const nested = (depth: number) => '{{#if a}}'.repeat(depth) + '{{/if}}'.repeat(depth)

const documents = (size: Stage['size']): Readonly<Record<string, readonly string[]>> => ({
  'html of nested {{#if a}}, 36 KB to 900 KB': [2_250, 4_500, 56_000].map((depth) => nested(size(depth, depth / 5))),
  '{{a}} again and again, 750 KB': ['{{a}}'.repeat(size(150_000, 20_000))],
  'blocks beside blocks, 900 KB': ['{{#if a}}b{{/if}}'.repeat(size(52_000, 6_000))],
  'expressions within expressions': [`{{#if ${'(OR '.repeat(20_000)}a${')'.repeat(20_000)}}}b{{/if}}`],
  'one tag with 100,000 arguments, and one with a path of as many parts': [
    `{{#if (OR ${'a '.repeat(size(100_000, 10_000))})}}b{{/if}}`,
    `{{a${'.a'.repeat(size(100_000, 10_000))}}}`,
  ],
  'tags and comments that do not end': ['{{!--'.repeat(size(100_000, 10_000)), '{{'.repeat(size(200_000, 20_000))],
})

/** Templates whose cost is in what they are, and in what they do with their data. */
export const templateScenes = (size: Stage['size']): readonly Scene[] => [
  ...Object.entries(documents(size)).map(
    ([name, all]): Scene => ({
      name,
      run: async (stage) => {
        for (const one of all) await sendOnce(stage, one)
        return []
      },
    }),
  ),
  {
    name: '`{{#each a}}{{TRUNCATE ../s 1}}{{/each}}` with a text of 900 KB',
    run: async (stage) => {
      const data = { a: Array.from({ length: 300 }, () => 1), s: 'x'.repeat(stage.size(900_000, 300_000)) }
      for (const helper of ['TRUNCATE ../s 1', 'CAPITALIZE ../s', 'INCLUDES ../s "y"', 'DEFAULT ../s 1', '../s'])
        await sendOnce(
          stage,
          `{{#each a}}{{#if (EQ (${helper.includes(' ') ? helper : `DEFAULT ${helper} 1`}) 1)}}b{{/if}}{{/each}}`,
          { data },
        )
      return []
    },
  },
  {
    name: 'INCLUDES of 60,000 in 60,000 characters that are nearly the same',
    run: async (stage) => {
      const where = `${'a'.repeat(400_000)}`
      const what = `${'a'.repeat(200_000)}b`
      await sendOnce(stage, '{{#if (INCLUDES w x)}}b{{/if}}', { data: { w: where, x: what } })
      const many = Array.from({ length: 60_000 }, (_, index) => index)
      await sendOnce(stage, '{{#each a}}{{#if (INCLUDES ../a -1)}}b{{/if}}{{/each}}', { data: { a: many } })
      return []
    },
  },
  {
    name: 'loops in loops in loops, and output without end',
    run: async (stage) => {
      const a = Array.from({ length: 300 }, (_, index) => index)
      const s = 'ä&<'.repeat(100_000)
      await sendOnce(stage, '{{#each a}}{{#each ../a}}{{#each ../../a}}{{this}}{{/each}}{{/each}}{{/each}}', {
        data: { a },
      })
      await sendOnce(stage, '{{#each a}}{{../s}}{{/each}}', { data: { a, s } })
      for (let times = 0; times < stage.size(5, 1); times += 1)
        await sendOnce(stage, '{{s}}{{s}}{{s}}', { data: { s } })
      return []
    },
  },
  {
    name: 'links in loops, of blanks and references of which nothing is left',
    run: async ({ asAttacker, size }) => {
      for (const blank of ['\t', '&#9;']) {
        const value = `{{#if @root.b}}${blank.repeat(size(400_000, 20_000) / blank.length)}{{/if}}`
        const document = `{{#each a}}<a href="https://a.example/${value}">a</a>{{/each}}`
        const transactionalId = await asAttacker.made('/transactional-emails', email(document))
        const data = { a: Array.from({ length: 300 }, () => 1), b: true }
        const tracking = { opens: true, clicks: true }
        await asAttacker.post('/send-transactional', { transactionalId, email: 'reader@example.com', data, tracking })
        await rest(size(1500, 150))
      }
      return []
    },
  },
  {
    name: '`<body ` repeated, with a preview text, 360 KB',
    run: async (stage) => {
      await sendOnce(stage, '<body '.repeat(stage.size(60_000, 10_000)), { previewText: 'Hello' })
      return []
    },
  },
  {
    name: '`<head ` and the like repeated, looked at in the outbox',
    run: async (stage) => {
      for (const tag of ['<head ', '<style ', '<!--', '<a href="', '<img src=', '<td><tr>'])
        await sendOnce(stage, tag.repeat(stage.size(360_000, 60_000) / tag.length))
      const { text } = await stage.client.ask('GET', '/outbox')
      for (const [, path] of [...text.matchAll(/href="(\/outbox\/[^"?#]+)"/g)].slice(0, 12)) {
        const page = await stage.client.ask('GET', path ?? '')
        for (const [, frame] of page.text.matchAll(/src="(\/outbox\/[^"?#]+)"/g))
          await stage.client.ask('GET', frame ?? '')
      }
      return []
    },
  },
  {
    name: 'a mail that breaks while it is made is a failure of that mail',
    run: async (stage) => {
      const { asAttacker } = stage
      const depth = 90
      const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as object
      await sendOnce(stage, `{{#with a}}${'{{#with a}}'.repeat(40)}${'{{/with}}'.repeat(40)}{{/with}}`, { data: deep })
      const { text } = await asAttacker.get('/transactional-emails?limit=1')
      return unless(text.includes('count'), 'the list of emails is not answered')
    },
  },
  {
    name: 'nine mails of 300 KB, each with other lines',
    run: async (stage) => {
      for (let mail = 0; mail < 9; mail += 1) {
        const lines = Array.from({ length: 3 }, (_, line) => `${mail}-${line} ${'ö'.repeat(stage.size(48_000, 8_000))}`)
        await sendOnce(stage, lines.join('\n'))
      }
      return []
    },
  },
  {
    name: 'many templates, each used once',
    run: async (stage) => {
      const text = 'x'.repeat(stage.size(400_000, 50_000))
      for (let mail = 0; mail < stage.size(60, 5); mail += 1) {
        const { result } = await stage.asAttacker.post('/transactional-emails', email(`${mail}{{a}}${text}`))
        const { _id: transactionalId } = (result ?? {}) as { _id?: string }
        await stage.asAttacker.post('/send-transactional', { transactionalId, email: 'reader@example.com' })
      }
      await rest(stage.size(3000, 150))
      return []
    },
  },
]
