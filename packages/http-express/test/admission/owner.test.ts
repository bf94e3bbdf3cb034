import type { Scope } from '@posthorn/core'
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { clientBlock, type RequestPayers, requestOwnerLookup } from '../../src/admission/owner.js'
import { ownerShareLimiter } from '../../src/admission/shares.js'

const from = (ip: string) => ({ ip, socket: { remoteAddress: '192.0.2.1' } }) as unknown as Request

describe('the address block of a request', () => {
  it('is that of the connection if a proxy names no valid address', () => {
    expect(clientBlock(from('198.51.100.9'))).toBe('198.51.100.9')
    expect(clientBlock(from('unknown'))).toBe('192.0.2.1')
    expect(clientBlock(from('x'.repeat(10_000)))).toBe('192.0.2.1')
  })
})

/** Two projects of one account, and one of another. */
const accounts: Readonly<Record<string, string>> = { p1: 'a', p2: 'a', p3: 'b' }
const lookup = () => {
  let asked = 0
  const ownerOf = requestOwnerLookup({
    accountOf: async (projectId) => {
      asked += 1
      return accounts[projectId] ?? projectId
    },
  })
  return { ownerOf, asked: () => asked }
}
const withKey = (projectId: string): Scope => ({ projectId, caller: 'api-key' })
const visit = (projectId: string): Scope => ({ projectId, caller: 'origin' })

/** How much the owner takes before it is refused. */
const taken = (limit: ReturnType<typeof ownerShareLimiter>, owner: RequestPayers): number => {
  let n = 0
  while (limit.take(owner, 1)) n += 1
  return n
}

describe('the owner of a request', () => {
  it('is cached after the first lookup', async () => {
    const { ownerOf, asked } = lookup()
    await ownerOf(withKey('p1'), from('192.0.2.1'))
    expect(ownerOf(withKey('p1'), from('192.0.2.2'))).toEqual([{ key: 'account a', part: 1 }])
    expect(asked()).toBe(1)
  })

  it('is the account of a key: two projects of one account share its budget', async () => {
    const { ownerOf } = lookup()
    const limit = ownerShareLimiter({ total: 1_000, share: 80 })
    expect(taken(limit, await ownerOf(withKey('p1'), from('192.0.2.1')))).toBe(80)
    expect(taken(limit, await ownerOf(withKey('p2'), from('192.0.2.1')))).toBe(0)
    expect(taken(limit, await ownerOf(withKey('p3'), from('192.0.2.1')))).toBe(80)
  })

  it('is a visitor’s address, within limits for the project’s and the account’s visitors, which leave room for keys', async () => {
    const { ownerOf } = lookup()
    const limit = ownerShareLimiter({ total: 1_000, share: 80 })
    const visitor = async (projectId: string, n: number) =>
      taken(limit, await ownerOf(visit(projectId), from(`192.0.2.${n}`)))
    expect([await visitor('p1', 1), await visitor('p1', 2), await visitor('p1', 3)]).toEqual([10, 10, 0])
    expect([await visitor('p2', 3), await visitor('p2', 4), await visitor('p2', 5)]).toEqual([10, 10, 0])
    expect(await visitor('p3', 1)).toBe(0)
    expect(taken(limit, await ownerOf(withKey('p1'), from('192.0.2.1')))).toBe(40)
  })

  it('is the address without a project, and all such requests share one account’s budget', async () => {
    const { ownerOf } = lookup()
    const limit = ownerShareLimiter({ total: 1_000, share: 80 })
    const stranger = async (n: number) =>
      taken(limit, await ownerOf({ projectId: '', caller: 'origin' }, from(`192.0.2.${n}`)))
    const all = []
    for (let n = 1; n <= 9; n += 1) all.push(await stranger(n))
    expect(all).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 0])
  })
})
