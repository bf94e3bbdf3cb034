import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { largeListResponseTurns } from '../../src/admission/concurrency.js'
import { pageWriter } from '../../src/response.js'
import { listResponseOf } from '../../src/route.js'
import { aWorld } from '../world.js'

/** In which turn of the event loop from now each of them begins. */
const turnsOf = async (turn: (name: string) => Promise<void>, names: readonly string[]) => {
  let now = 0
  let isOver = false
  const count = () => {
    now += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begun = await Promise.all(names.map((name) => turn(name).then(() => now)))
  isOver = true
  return begun
}

describe('large lists', () => {
  it('start one per turn of the event loop, also if their size is unknown', async () => {
    const { turn, had } = largeListResponseTurns()
    had('a', 27_000_000)
    const [first = 0, second = 0, third = 0] = await turnsOf(turn, ['a', 'a', 'b'])
    expect(second).toBeGreaterThan(first)
    expect(third).toBeGreaterThan(second)
  })

  it('delay no small list', async () => {
    const { turn, had } = largeListResponseTurns()
    had('small', 20_000)
    expect(await turnsOf(turn, ['a', 'small', 'small'])).toEqual([1, 0, 0])
  })

  it('are written one large document at a time, with the turns of others in between', async () => {
    const write = pageWriter(listResponseOf(z.object({ document: z.string() })))
    const pageOf = (characters: number) => {
      const items = Array.from({ length: 6 }, (_, n) => ({ document: `${n}`.repeat(characters), hidden: true }))
      return { items, count: 6, next: null }
    }
    for (const [characters, turns] of [
      [400_000, 6],
      [10, 0],
    ] as const) {
      const page = pageOf(characters)
      let written: string | readonly Buffer[] = ''
      const begun = await turnsOf(async () => {
        written = await write(200, page)
      }, ['a'])
      expect(begun).toEqual([turns])
      const text = typeof written === 'string' ? written : Buffer.concat(written).toString()
      const items = page.items.map(({ document }) => ({ document }))
      expect(JSON.parse(text)).toEqual({ status: 200, result: { items, count: 6, next: null } })
    }
  })

  it('say their length, also where only the head is asked for', async () => {
    const world = await aWorld()
    onTestFinished(() => world.client.close())
    const document = `<p>${'ä'.repeat(300_000)}</p>`
    const email = { subject: 'Hello', type: 'html', document } as const
    for (const name of ['One', 'Two', 'Three'])
      expect((await world.call('createTransactionalEmail', { body: { name, ...email } })).status).toBe(201)
    const url = `${world.client.base}/v1/projectId/${world.project.project._id}/transactional-emails`
    const headers = { authorization: `Bearer ${world.project.key}`, 'if-none-match': '"any"' }
    const whole = await fetch(url, { headers })
    const text = await whole.text()
    expect(JSON.parse(text).result).toMatchObject({ count: 3, items: [{ document }, { document }, { document }] })
    const head = await fetch(url, { method: 'HEAD', headers })
    for (const { status, headers: said } of [whole, head])
      expect([status, said.get('content-length')]).toEqual([200, String(Buffer.byteLength(text))])
  })
})
