import { createCore } from '@posthorn/core'
import { fieldApiName } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFieldValue } from '../../src/contacts/custom-field.js'

const start = async () => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const create = (name: string, type: string = 'string') =>
    core.customFields.create(scope, { name, type: type as never })
  return { core, ports, scope, create }
}

describe('the API name of a custom field', () => {
  it.each([
    ['Favorite Color', 'favoriteColor'],
    ['favoriteColor', 'favoriteColor'],
    ['first_name', 'firstName'],
    [' Crème brûlée (g) ', 'cremeBruleeG'],
    ['Café', 'cafe'],
    ['URL', 'url'],
    ['PAUSED UNTIL', 'pausedUntil'],
    ['Favorite COLOR', 'favoriteColor'],
    ['homePageURL', 'homePageUrl'],
    ['URLOfShop', 'urlOfShop'],
    ['address-line.2b', 'addressLine2b'],
    ['address2Line', 'address2Line'],
    ['LINE2', 'line2'],
    ['x2', 'x2'],
    ['日本', ''],
    ['Größe', 'groesse'],
    ['GRÖSSE', 'groesse'],
    ['GROẞE ZAHL', 'grosseZahl'],
    ['Œuvre', 'oeuvre'],
    ['Ärzte-Öl', 'aerzteOel'],
    ['o\u0308l', 'oel'],
    ['Łódź', 'lodz'],
    ['smørrebrød', 'smorrebrod'],
    ['__proto__', 'proto'],
  ])('of %s is %s', (name, expected) => {
    expect(fieldApiName(name)).toBe(expected)
  })

  it('has only letters and digits, and is its own API name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(fieldApiName(name)).toMatch(/^[A-Za-z0-9]*$/)
        expect(fieldApiName(fieldApiName(name))).toBe(fieldApiName(name))
      }),
    )
  })
})

describe('a date field’s value', () => {
  it.each([
    ['2026-01-06', '2026-01-06T00:00:00.000Z'],
    ['2026-01-06T10:30', '2026-01-06T10:30:00.000Z'],
    ['2026-01-06T10:30:15.5Z', '2026-01-06T10:30:15.500Z'],
    ['2026-01-06T10:30:00-05:00', '2026-01-06T15:30:00.000Z'],
    ['2026-1-6', undefined],
    ['06.01.2026', undefined],
    ['2026-02-30', undefined],
    ['2026-02-30T10:00', undefined],
    ['2026-02-30T10:00:00Z', undefined],
    ['2025-02-29T10:00:00+02:00', undefined],
    ['2026-04-31T00:00:00.000Z', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-00-10', undefined],
    ['2026-01-06T25:00:00Z', undefined],
    ['2026-01-06T24:00:00Z', undefined],
    ['2026-01-06T10:60', undefined],
    ['2026-01-06T10:00:60Z', undefined],
    ['2026-01-06T10:00+24:00', undefined],
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00+10:00', '0000-12-31T14:00:00.000Z'],
    ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
    ['9999-12-31', '9999-12-31T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01', undefined],
    ['+010000-01-01', undefined],
    ['0000-01-01T00:00:00+10:00', undefined],
    ['9999-12-31T23:59:59-10:00', undefined],
    [1767657600000, undefined],
  ])('%s is stored as %s', (given, kept) => {
    expect(parseFieldValue('date', given)).toBe(kept)
  })

  it('has no negative zero, which stores and exports would lose', () => {
    expect(parseFieldValue('number', JSON.parse('-0'))).toBe(0)
  })

  it('sorts as text like the date', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(date, date, (a, b) => {
        const [one, two] = [parseFieldValue('date', a.toISOString()), parseFieldValue('date', b.toISOString())]
        expect(String(one) < String(two)).toBe(a.getTime() < b.getTime())
      }),
    )
  })
})

describe('a custom field', () => {
  it('is identified by its API name, once', async () => {
    const { core, scope, create } = await start()
    expect(await create('Favorite Color')).toEqual({ name: 'favoriteColor', type: 'string' })
    await expect(create('favorite_color', 'number')).rejects.toMatchObject({ kind: 'invalid' })
    expect(await core.customFields.list(scope)).toEqual({
      items: [{ name: 'favoriteColor', type: 'string' }],
      count: 1,
    })
  })

  it('is identified in any case', async () => {
    const { core, scope, create } = await start()
    await create('zipCode')
    for (const name of ['zipcode', 'ZIPCODE', 'Zip Code'])
      await expect(create(name)).rejects.toThrow('name: a field zipCode exists already')
    expect((await core.customFields.list(scope)).count).toBe(1)
  })

  it('cannot be created twice concurrently in different cases', async () => {
    const { core, scope, create } = await start()
    const made = await Promise.allSettled([create('zipCode'), create('zipcode')])
    expect(made.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2)
    expect((await core.customFields.list(scope)).count).toBeLessThan(2)
  })

  it.each([
    'status',
    'pausedUntil',
    'email',
    'tags',
    'accountId',
    'projectId',
    'customFields',
    'contactId',
    'subscriberListId',
    'unsubscribeLink',
    'pauseSubscriptionLink',
    'createdAt',
    'updatedAt',
    'data',
    'segment',
    'segmentId',
    'subscriberStatus',
    'captchaText',
    'captchaProbe',
    'termsAccepted',
    'challengeToken',
    'SEGMENT ID',
    'pauseduntil',
    'constructor',
    'Paused until',
    '!!!',
    '2nd name',
  ])('cannot be named %s', async (name) => {
    const { create } = await start()
    await expect(create(name)).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('named name is the built-in field', async () => {
    const { core, scope, create } = await start()
    expect(await create('Name')).toEqual({ name: 'name', type: 'string' })
    expect((await core.customFields.list(scope)).count).toBe(0)
    await expect(create('name', 'number')).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('is removed with its values only', async () => {
    const { core, scope, create } = await start()
    await create('city')
    await create('age', 'number')
    await core.contacts.create(scope, { email: 'a@example.com', city: 'Wien', age: 3 })
    expect(await core.customFields.remove(scope, 'city')).toEqual({ name: 'city', type: 'string' })
    await create('city', 'date')
    const contact = await core.contacts.get(scope, 'a@example.com')
    expect(contact).toMatchObject({ age: 3 })
    expect(contact).not.toHaveProperty('city')
    await expect(core.customFields.remove(scope, 'town')).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Custom field not found',
    })
  })

  it('belongs to its project only', async () => {
    const { core, scope, create } = await start()
    await create('city')
    const other = (await sampleProject(core, { name: 'Other' })).scope
    await expect(core.customFields.remove(other, 'city')).rejects.toMatchObject({ kind: 'not-found' })
    await expect(core.contacts.create(other, { email: 'a@example.com', city: 'x' })).rejects.toThrow('Unexpected field')
    expect((await core.customFields.list(scope)).count).toBe(1)
  })
})
