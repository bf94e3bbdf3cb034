import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { exportPlace, exportsDirectory, startProject } from './migrations.js'

const place = exportPlace()
afterAll(() => place.remove())

/** Made by pg_dump 15 of a database with listmonk's tables. */
const dump = readFileSync(join(exportsDirectory, 'listmonk', 'listmonk.sql'), 'utf8')
const dumped = (change: (text: string) => string = (text) => text) =>
  join(place.write({ 'listmonk.sql': change(dump) }), 'listmonk.sql')

describe('a dump of listmonk', () => {
  it('brings names with tabs, line breaks and backslashes, and nested attributes as fields', async () => {
    const { migrate, contact, fields } = await startProject()
    await migrate('listmonk', dumped())
    expect(await contact('tab.user@example.com')).toMatchObject({
      email: 'Tab.User@Example.com',
      name: 'Tab and newline \\ back\\slash \\N',
      city: 'Zürich 🏔',
      note: 'line\nbreak \\ and "quotes"\ttab',
    })
    expect(await contact('ada@example.com')).toMatchObject({
      name: 'Ada Lovelace',
      tags: ['a', 'b'],
      vip: true,
      born: '1815-12-10T00:00:00.000Z',
      addressZip: 'W1',
      addressGeoLat: 51.5,
      orders: '[{"id":1}]',
      projects: '3',
    })
    expect(await fields()).toMatchObject({ vip: 'boolean', born: 'date', addressGeoLat: 'number', projects: 'string' })
  })

  it('keeps states with their dates and the consent, and treats unconfirmed as active only on lists with a single opt-in', async () => {
    const { migrate, subscriptions } = await startProject()
    await migrate('listmonk', dumped())
    expect(await subscriptions('ada@example.com')).toEqual({
      'Default list': {
        status: 'active',
        joinedAt: '2021-03-04T10:11:12.345Z',
        changedAt: '2021-03-04T10:11:12.345Z',
        consent: 'listmonk: unconfirmed, added on 2021-03-04T10:11:12.345Z',
      },
      'News & "Offers" for\\all': {
        status: 'active',
        joinedAt: '2021-03-04T10:11:12.000Z',
        changedAt: '2021-03-04T10:20:00.000Z',
        consent: 'listmonk: confirmed, added on 2021-03-04T10:11:12.000Z, from 203.0.113.7',
      },
      'Übersicht 日本': {
        status: 'unsubscribed',
        joinedAt: '2021-03-04T10:11:12.000Z',
        changedAt: '2021-06-01T00:00:00.000Z',
        consent: 'listmonk: unsubscribed, added on 2021-03-04T10:11:12.000Z',
      },
    })
    expect(await subscriptions('waiting@example.com')).toMatchObject({
      'News & "Offers" for\\all': { status: 'unverified' },
    })
  })

  it('takes a missing date as now', async () => {
    const { migrate, subscriptions } = await startProject()
    await migrate('listmonk', dumped())
    const { 'Übersicht 日本': one } = await subscriptions('spam@example.com')
    expect(one?.joinedAt).toBe(one?.changedAt)
    expect(one?.consent).toBe('listmonk: confirmed')
  })

  it('suppresses hard bounces, complaints, blocklisted and disabled subscribers, who stay contacts, but no soft bounces', async () => {
    const { migrate, suppressions, contact, subscriptions } = await startProject()
    const { value } = await migrate('listmonk', dumped())
    expect(await suppressions()).toEqual({
      'bounced@example.com': 'bounce',
      'spam@example.com': 'complaint',
      'blocked@example.com': 'blocklisted at listmonk on 2022-02-01T00:00:00.000Z',
      'off@example.com': 'disabled at listmonk on 2022-01-01T00:00:00.000Z',
    })
    expect(await contact('blocked@example.com')).toMatchObject({ city: 'Rome' })
    expect(await subscriptions('bounced@example.com')).toMatchObject({ 'Default list': { status: 'active' } })
    expect(value.leftOut).toEqual([{ what: 'soft bounces', count: 2 }])
  })

  it('creates lists as private or public, and says which asked for a confirmation', async () => {
    const { migrate, core, scope } = await startProject()
    const { value } = await migrate('listmonk', dumped())
    const { items } = await core.subscriberLists.list(scope, { skip: 0, limit: 10 })
    const shown = items.map(({ name, private: isPrivate, description }) => [name, isPrivate, description])
    expect(shown).toContainEqual(['Default list', true, ''])
    expect(shown).toContainEqual(['News & "Offers" for\\all', false, 'Two lines:\nthe second'])
    expect(value.lists.filter(({ note }) => note !== undefined).map(({ name }) => name)).toEqual([
      'News & "Offers" for\\all',
    ])
  })

  it('names the line of each subscriber that cannot be imported', async () => {
    const { migrate, contactCount } = await startProject()
    const { value } = await migrate('listmonk', dumped())
    const lineOf = (text: string) => dump.split('\n').findIndex((line) => line.includes(text)) + 1
    expect(value.problems).toEqual({
      count: 2,
      rows: [
        {
          place: { file: 'listmonk.sql', line: lineOf('not an address') },
          email: 'not an address',
          error: 'Invalid email format',
        },
        {
          place: { file: 'listmonk.sql', line: lineOf('long@example.com') },
          email: 'long@example.com',
          error: 'story: expected at most 5000 characters, got 6000',
        },
      ],
    })
    expect(await contactCount()).toBe(9)
  })

  it('imports transactional templates that translate as a whole', async () => {
    const { migrate, transactional } = await startProject()
    const { value } = await migrate('listmonk', dumped())
    expect((await transactional()).map(({ name, subject, document }) => [name, subject, document])).toEqual([
      [
        'Order',
        'Order {{order_id}}',
        '<p>Hello {{contact.name}},</p>\n<p>from {{~contact.city~}} </p>\n{{#if (EQ contact.city "London")}}near{{else if contact.vip}}vip{{else}}far{{/if}}\n<a href="https://shop.example.com/o?id={{order_id}}">Order</a>',
      ],
    ])
    const loop = value.templates.find(({ name }) => name === 'Loop')
    expect(loop?.problems.map(({ part, line, column, construct }) => [part, line, column, construct])).toEqual([
      ['body', 1, 10, '{{ .Subscriber.FirstName }}'],
      ['body', 2, 1, '{{ range .Tx.Data.items }}'],
      ['body', 2, 31, '{{ .name | upper }}'],
      ['body', 2, 55, '{{ end }}'],
    ])
  })

  it('reports a row with a wrong number of values, and goes on', async () => {
    const { migrate } = await startProject()
    const { value } = await migrate(
      'listmonk',
      dumped((text) => text.replace('\toff@example.com\t', '\t')),
    )
    expect(value.problems.rows[0]).toMatchObject({
      error: 'The row has 7 values, and the table has 8 columns.',
    })
    expect(value.done?.contacts).toMatchObject({ created: 8, failed: 3 })
  })

  it('with attributes nested deeper than the stack loses that subscriber alone', async () => {
    const { migrate } = await startProject()
    const nested = `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const { value } = await migrate(
      'listmonk',
      dumped((text) => text.replace('{"city": "Rome"}', nested)),
    )
    // Node 26 writes JSON of any depth, so that the text is too long.
    expect(value.problems.rows.map(({ error }) => error)).toContainEqual(
      expect.stringMatching(/^(The values are nested too deeply\.|a: expected at most 5000 characters, got 400000)$/),
    )
    expect(value.done?.contacts).toMatchObject({ created: 8, failed: 3 })
  })

  it.each([
    ['that was cut off', (text: string) => text.slice(0, -200), /ends in the middle.*Make it again/],
    [
      'without a table',
      (text: string) => text.replace('COPY public.lists', 'COPY public.other'),
      /has no table lists\./,
    ],
    ['of INSERT statements', () => 'INSERT INTO public.lists VALUES (1);\n', /without these options/],
    [
      'of something else',
      () => 'SELECT 1;\n',
      /has no table lists, subscribers, subscriber_lists\. Expected a plain dump/,
    ],
    ['in the custom format', () => 'PGDMP\u0001\u000e', /custom format.*pg_restore/s],
    ['that is compressed', () => '\u001f\u008b\u0008', /gunzip/],
  ])('%s gets a message that says what to do', async (_, change, message) => {
    const { migrate, lists } = await startProject()
    const bytes = Buffer.from(change(dump), 'latin1')
    const path = join(place.write({ 'listmonk.sql': bytes }), 'listmonk.sql')
    await expect(migrate('listmonk', path)).rejects.toMatchObject({
      name: 'Refusal',
      message: expect.stringMatching(message),
    })
    expect(await lists()).toEqual(['Readers'])
  })
})

describe('the CSV of listmonk', () => {
  const csv = readFileSync(join(exportsDirectory, 'listmonk', 'subscribers.csv'), 'utf8')
  const written = () => join(place.write({ 'subscribers.csv': csv }), 'subscribers.csv')

  it('has contacts with attributes and blocklisted addresses, on a list only if one is named', async () => {
    const { migrate, contact, suppressions, subscriptions } = await startProject()
    await migrate('listmonk', written())
    expect(await contact('tab.user@example.com')).toMatchObject({ city: 'Zürich 🏔', _lists: [] })
    expect(Object.keys(await suppressions()).sort()).toEqual(['blocked@example.com', 'off@example.com'])
    await migrate('listmonk', written(), { listName: 'Everybody' })
    expect(await subscriptions('ada@example.com')).toEqual({
      Everybody: {
        status: 'active',
        joinedAt: '2021-03-04T10:11:12.345Z',
        changedAt: '2021-03-04T10:11:12.345Z',
        consent: 'listmonk: subscriber enabled, added on 2021-03-04T10:11:12.345Z',
      },
    })
  })

  it('of another system gets a message with the expected columns', async () => {
    const { migrate } = await startProject()
    const path = place.write({ 'people.csv': 'Email Address,First Name\nada@example.com,Ada\n' })
    await expect(migrate('listmonk', path)).rejects.toThrow(
      /people\.csv is no export of listmonk: its first line should be uuid,email,name,attributes/,
    )
  })
})
