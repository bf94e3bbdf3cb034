import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkStoreFile, openSqliteStore, sqliteHeldMails } from '../src/index.js'
import { folder } from './folder.js'

/** Two projects with a gallery, a campaign that was sent, and two mails with an attachment each that wait. */
const fixture = gunzipSync(readFileSync(new URL('../../../tests/fixtures/store-v2.db.gz', import.meta.url)))

let place: Awaited<ReturnType<typeof folder>>
beforeEach(async () => {
  place = await folder()
  writeFileSync(place.file, fixture)
})
afterEach(() => place.remove())

const change = (sql: string) => {
  const connection = new DatabaseSync(place.file)
  connection.function('lower_unicode', { deterministic: true }, (text: unknown) => String(text).toLowerCase())
  connection.exec(sql)
  connection.close()
}

const everything = () => true
const problems = (isThere: (key: string) => boolean = everything) => checkStoreFile(place.file, isThere).problems

describe('a check of a store', () => {
  it('finds nothing in a good one, and counts', () => {
    expect(checkStoreFile(place.file, everything)).toMatchObject({
      problems: [],
      counts: { accounts: 2, projects: 2, contacts: 610, campaigns: 2, galleryImages: 4, deliveries: 614 },
    })
  })

  it('asks for the files of the gallery, and of mails that wait', () => {
    const asked: string[] = []
    problems((key) => asked.push(key) > 0)
    expect(asked).toHaveLength(4 + 4)
    const [missing] = problems((key) => key !== asked[0])
    expect(missing).toBe(`1 files that records refer to are missing: ${asked[0]}`)
    expect(problems(() => false)[0]).toMatch(/^8 files that records refer to are missing: \S+, .* and 3 more$/)
  })

  it.each([
    ['DELETE FROM subscriberLists', /^610 subscribers without their list: /],
    ['DELETE FROM dispatches', /^6 dispatches with deliveries but without a record: /],
    ['DELETE FROM contents', /^\d dispatches to be sent without their content: /],
    ['DELETE FROM accounts', /^2 teams without|^2 projects without their account/],
    ['DELETE FROM projects', /^\d+ \w+ without their account or project: /],
  ])('finds what refers to nothing: %s', (sql, expected) => {
    change(sql)
    expect(problems().filter((problem) => expected.test(problem))).not.toEqual([])
  })

  it('finds damage in the file', () => {
    const bytes = Buffer.from(fixture)
    for (let page = 40; page < 80; page += 1) bytes.fill(0xff, page * 4096, page * 4096 + 8)
    writeFileSync(place.file, bytes)
    expect(problems()[0]).toMatch(/^the file is damaged: /)
  })

  it('is refused for what is no database', () => {
    writeFileSync(place.file, 'Dear diary, '.repeat(100))
    expect(() => problems()).toThrow('file is not a database')
  })
})

describe('mails to single addresses that are held back', () => {
  const now = '2026-05-01T12:00:00.000Z'
  const waiting = "_id IN (SELECT _id FROM deliveries WHERE status = 'queued' AND lane = 'transactional' LIMIT 1)"

  const due = async (at: string) => {
    const { deliveries, close } = openSqliteStore({ file: place.file })
    const queues = await deliveries.due(at)
    await close()
    return queues.filter(({ lane }) => lane === 'transactional').length
  }

  it('are never due before they are released', async () => {
    expect(await sqliteHeldMails(place.file).hold(now, now)).toBe(4)
    expect(await due('2100-01-01T00:00:00.000Z')).toBe(0)
    expect(await sqliteHeldMails(place.file).release(now)).toBe(4)
    expect(await due(now)).toBe(2)
    expect(await sqliteHeldMails(place.file).release(now)).toBe(0)
  })

  it('are those that were due until then, or under way', async () => {
    change(`UPDATE deliveries SET not_before = '2026-05-02T00:00:00.000Z' WHERE ${waiting}`)
    change(
      `UPDATE deliveries SET status = 'sending', worker = 'w', lease_until = '${now}' WHERE ${waiting.replace('LIMIT 1', "AND not_before < '2026-05' LIMIT 1")}`,
    )
    expect(await sqliteHeldMails(place.file).hold(now, now)).toBe(3)
  })
})
