import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { transformWithOxc } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Posthorn } from '../../client/src/index.js'
import { aServer } from '../../client/test/world.js'
import { type Called, codeSamples } from '../src/automatic/code-samples.js'

const run = promisify(execFile)

/** Quotes, lines, letters and values that mean something in each of the languages. */
const data = {
  order: {
    number: 7,
    paid: true,
    coupon: null,
    lines: ['a "b"', "it's", '$HOME `id` $x', '\\n', 'Größe 👋'],
    none: [],
  },
  empty: {},
}

// The literals of other languages are meant as they are.
describe('the code that sends an email', () => {
  let world: Awaited<ReturnType<typeof aServer>>
  let transactional: Called
  let triggered: Called
  beforeAll(async () => {
    world = await aServer()
    const { baseUrl, project, options } = world
    const posthorn = new Posthorn(options)
    const document = '<p>{{order.number}} {{order.paid}} {{#each order.lines}}[{{{this}}}]{{/each}}</p>'
    const content = { name: 'Receipt', subject: 'Order {{order.number}}', type: 'html', document } as const
    const list = await posthorn.subscriberLists.create({ name: 'News' })
    await posthorn.subscriberLists.subscribe(list._id, { email: 'ada@example.com', status: 'active' })
    const { _id: receipt } = await posthorn.transactionalEmails.create(content)
    const { _id: stock } = await posthorn.triggeredEmails.create({ ...content, subscriberListId: list._id })
    const called = { baseUrl, projectId: project._id, address: 'ada@example.com', data }
    transactional = { ...called, kind: 'transactional', id: receipt }
    triggered = { ...called, kind: 'triggered', id: stock }
  })
  afterAll(() => world.close())

  /** The mails that were sent since. */
  const sentBy = async (act: () => Promise<unknown>) => {
    const before = world.mailer.sent.length
    await act()
    await world.core.worker.runUntilIdle()
    return world.mailer.sent.slice(before)
  }
  const subjectsOf = (mails: Awaited<ReturnType<typeof sentBy>>) =>
    mails.map(({ to, mime }) => `${to}: ${/^Subject: (.*)\r$/m.exec(mime)?.[1]}`)
  const both = () => [transactional, triggered]

  it('sends by curl, whatever the data contains', async () => {
    const env = { ...process.env, POSTHORN_KEY: world.key }
    for (const called of both()) {
      const sent = await sentBy(() => run('sh', ['-c', codeSamples.curl.of(called)], { env }))
      expect(subjectsOf(sent)).toEqual(['ada@example.com: Order 7'])
      expect(sent[0]?.mime).toContain('[$HOME `id` $x]')
    }
  })

  it('sends by TypeScript', async () => {
    for (const called of both()) {
      const { code } = await transformWithOxc(codeSamples.typescript.of(called), 'sample.ts')
      const printed: string[] = []
      const sent = await sentBy(async () => {
        // The sample is ours, and its statements are those of a module.
        // oxlint-disable-next-line typescript/no-implied-eval
        const start = new Function(
          'Posthorn',
          'process',
          'console',
          `return (async () => { ${code.replace(/^import .*$/gm, '').replace(/^\/\/# .*$/gm, '')} })()`,
        )
        await start(Posthorn, { env: { POSTHORN_KEY: world.key } }, { log: (text: string) => printed.push(text) })
      })
      expect(subjectsOf(sent)).toEqual(['ada@example.com: Order 7'])
      expect(printed).toEqual([expect.stringMatching(/^Queued as [\da-f]{24}$/)])
    }
  })

  it('has the literals of Python in Python', () => {
    const sample = codeSamples.python.of(transactional)
    expect(sample).toContain('"paid": True')
    expect(sample).toContain('"coupon": None')
    expect(sample).toContain('"empty": {}')
    expect(sample).not.toMatch(/\b(true|false|null)\b/)
  })
})
