import { describe, expect, it } from 'vitest'
import { providerClaimValues, providerGivenRoles } from '../../src/people/roles.js'

describe('the values of a claim', () => {
  it.each([
    ['nothing', {}, []],
    ['an inherited property', {}, [], 'constructor'],
    ['a number, which no mapping means', { groups: 7 }, []],
    ['true', { groups: true }, []],
    ['null', { groups: null }, []],
    ['an object', { groups: { admins: true } }, []],
    ['a text, whole', { groups: 'admins writers' }, ['admins writers']],
    ['a list, without what is no text', { groups: ['admins', 7, null, ['x'], 'writers'] }, ['admins', 'writers']],
    ['an inner list', { realm: { roles: ['admins'] } }, ['admins'], 'realm.roles'],
    ['the claim with the whole name first', { 'a.b': 'whole', a: { b: 'inner' } }, ['whole'], 'a.b'],
    ['the claim with a name that is a URL', { 'https://example.com/roles': ['x'] }, ['x'], 'https://example.com/roles'],
    ['nothing inside a text', { realm: 'x' }, [], 'realm.length'],
  ] as const)('are for %s', (_, claims: object, values, name: string = 'groups') => {
    expect(providerClaimValues(claims as Record<string, unknown>, name)).toEqual(values)
  })
})

describe('the roles that a provider gives', () => {
  const account = 'a'
  it('are none without a value, and then nobody gets in', () => {
    expect(providerGivenRoles([], account)).toBeUndefined()
  })
  it('are none in the first account before there is one', () => {
    expect(providerGivenRoles([{ value: 'x', role: 'owner' }], undefined)).toBeUndefined()
  })
  it('are the most powerful one of each account, in whatever order they are given', () => {
    const given = [
      { value: 'x', role: 'analyst' },
      { value: 'y', role: 'manager' },
      { value: 'z', role: 'writer' },
      { value: 'z', role: 'support', accountId: 'b' },
    ] as const
    for (const mapping of [given, [...given].reverse()])
      expect(providerGivenRoles(mapping, account)).toEqual({
        isOperator: false,
        byAccount: new Map([
          ['a', 'manager'],
          ['b', 'support'],
        ]),
      })
  })
  it('may be the operator’s alone', () => {
    expect(providerGivenRoles([{ value: 'x', role: 'operator' }], account)).toEqual({
      isOperator: true,
      byAccount: new Map(),
    })
  })
})
