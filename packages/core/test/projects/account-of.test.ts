import { describe, expect, it } from 'vitest'
import { accountLookup } from '../../src/projects/project.js'

const counted = (accounts: Readonly<Record<string, string>>) => {
  let lookups = 0
  const get = async ({ _id }: { readonly _id?: unknown }) => {
    lookups += 1
    const accountId = accounts[String(_id)]
    return accountId === undefined ? undefined : { _id: String(_id), accountId }
  }
  return { accountOf: accountLookup({ noun: 'Project', get }), lookups: () => lookups }
}

describe('a project’s account', () => {
  it('is looked up once per project', async () => {
    const { accountOf, lookups } = counted({ p1: 'a', p2: 'a' })
    expect(await Promise.all([accountOf('p1'), accountOf('p1'), accountOf('p2')])).toEqual(['a', 'a', 'a'])
    await accountOf('p2')
    expect(lookups()).toBe(2)
  })

  it('is the project itself once it is deleted', async () => {
    expect(await counted({}).accountOf('gone')).toBe('gone')
  })
})
