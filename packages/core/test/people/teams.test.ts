import { rolePermissions, roles } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { mayGrant } from '../../src/people/roles.js'
import { anAccount, password, tokenIn, visitor } from './an-account.js'

const ownersOf = async ({ people, scopeOf, olga }: Awaited<ReturnType<typeof anAccount>>, by = olga) =>
  (await people.list(await scopeOf(by))).people.filter(({ role }) => role === 'owner').map(({ name }) => name)

describe('the last owner of an account', () => {
  it('can neither leave, nor be removed, nor change the own role', async () => {
    const world = await anAccount()
    const { people, olga, scopeOf } = world
    const scope = await scopeOf(olga)
    for (const attempt of [
      people.removeMember(scope, olga.person._id),
      people.changeMember(scope, olga.person._id, { role: 'manager' }),
      people.commands.remove('olga@example.com'),
    ])
      await expect(attempt).rejects.toMatchObject({ kind: 'blocked', message: expect.stringContaining('one owner') })
    expect(await ownersOf(world)).toEqual(['Olga'])
  })

  it('stays when two owners leave at the same time', async () => {
    const world = await anAccount()
    const { people, olga, joined, scopeOf } = world
    const bob = await joined('bob', 'owner')
    const scopes = await Promise.all([olga, bob].map((one) => scopeOf(one)))
    const left = await Promise.allSettled(
      [olga, bob].map(({ person }, n) =>
        people.removeMember(scopes[n] ?? { projectId: '', caller: 'person' }, person._id),
      ),
    )
    expect(left.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await ownersOf(world, left[0]?.status === 'rejected' ? olga : bob)).toHaveLength(1)
  })

  it('stays when two owners remove each other at the same time', async () => {
    const world = await anAccount()
    const { people, olga, joined, scopeOf } = world
    const bob = await joined('bob', 'owner')
    const [byOlga, byBob] = await Promise.all([scopeOf(olga), scopeOf(bob)])
    const removed = await Promise.allSettled([
      people.removeMember(byOlga, bob.person._id),
      people.removeMember(byBob, olga.person._id),
    ])
    expect(removed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await ownersOf(world, removed[0]?.status === 'fulfilled' ? olga : bob)).toHaveLength(1)
  })

  it('stays when two owners make each other managers at the same time', async () => {
    const world = await anAccount()
    const { people, olga, joined, scopeOf } = world
    const bob = await joined('bob', 'owner')
    const [byOlga, byBob] = await Promise.all([scopeOf(olga), scopeOf(bob)])
    const changed = await Promise.allSettled([
      people.changeMember(byOlga, bob.person._id, { role: 'manager' }),
      people.changeMember(byBob, olga.person._id, { role: 'manager' }),
    ])
    expect(changed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await ownersOf(world)).toHaveLength(1)
  })
})

describe('granting', () => {
  it.each(roles)('%s grants only roles whose permissions it has, and only with people.edit', async (role) => {
    const { people, joined, accountId, projectId } = await anAccount()
    const { person } = await joined('grantor', role)
    const granted: string[] = []
    for (const other of roles) {
      const invited = people.invite(
        { projectId, caller: 'person', person: { ...person, permissions: [...rolePermissions[role]] } },
        { email: `${other}@example.com`, role: other, within: 'account' },
      )
      await invited.then(
        () => granted.push(other),
        (error) => expect(error).toMatchObject({ kind: 'forbidden' }),
      )
    }
    const held = rolePermissions[role]
    expect(accountId).not.toBe('')
    expect(granted).toEqual(
      roles.filter((other) => (held as readonly string[]).includes('people.edit') && mayGrant(held, other)),
    )
  })

  it('is decided by the stored role, not by what the request claims', async () => {
    const { people, joined, projectId } = await anAccount()
    const { person } = await joined('bob', 'writer')
    const scope = {
      projectId,
      caller: 'person',
      person: { ...person, permissions: [...rolePermissions.owner] },
    } as const
    await expect(people.invite(scope, { email: 'eve@example.com', role: 'writer' })).rejects.toMatchObject({
      kind: 'forbidden',
    })
    await expect(people.changeMember(scope, person._id, { role: 'owner' })).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('of a role in one project reaches neither the account nor another project', async () => {
    const { people, core, joined, accountId, scopeOf } = await anAccount()
    const bob = await joined('bob', 'manager', 'project')
    const other = await core.projects.create({ accountId, name: 'Second' })
    const scope = await scopeOf(bob)
    await expect(
      people.invite(scope, { email: 'eve@example.com', role: 'analyst', within: 'account' }),
    ).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(people.scopeIn(bob, other._id, 'project.read')).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(people.invite(scope, { email: 'eve@example.com', role: 'analyst' })).resolves.toHaveProperty('link')
  })

  it('does not let a manager change or remove an owner', async () => {
    const { people, olga, joined, scopeOf } = await anAccount()
    const scope = await scopeOf(await joined('bob', 'manager'))
    await expect(people.changeMember(scope, olga.person._id, { role: 'analyst' })).rejects.toMatchObject({
      kind: 'forbidden',
    })
    await expect(people.removeMember(scope, olga.person._id)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('never makes somebody the owner of one project', async () => {
    const { people, olga, scopeOf } = await anAccount()
    await expect(
      people.invite(await scopeOf(olga), { email: 'eve@example.com', role: 'owner', within: 'project' }),
    ).rejects.toMatchObject({ kind: 'blocked' })
  })

  it('does not reach people of another account', async () => {
    const { people, core, olga, scopeOf } = await anAccount()
    const other = await core.accounts.create({ name: 'Other' })
    await people.commands.create({ email: 'eve@example.com', name: 'Eve' }, { accountId: other._id, role: 'owner' })
    const eve = (await people.commands.list()).find(({ name }) => name === 'Eve')
    const scope = await scopeOf(olga)
    await expect(people.changeMember(scope, eve?._id ?? '', { role: 'analyst' })).rejects.toMatchObject({
      kind: 'not-found',
    })
    await expect(people.removeMember(scope, eve?._id ?? '')).rejects.toMatchObject({ kind: 'not-found' })
  })
})

describe('leaving', () => {
  it('is open to everybody, and ends what the person may do at once', async () => {
    const { people, joined, projectId } = await anAccount()
    const bob = await joined('bob', 'analyst')
    const scope = await people.scopeIn(bob, projectId, 'project.read')
    await people.removeMember(scope, bob.person._id)
    await expect(people.scopeIn(bob, projectId, 'project.read')).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await people.projectsOf(bob)).toEqual([])
  })
})

describe('an invitation', () => {
  it('is void once the inviter may no longer grant its role', async () => {
    const { people, olga, joined, scopeOf } = await anAccount()
    const bob = await joined('bob', 'manager')
    const { link } = await people.invite(await scopeOf(bob), { email: 'eve@example.com', role: 'manager' })
    const accept = () => people.accept({ token: tokenIn(link), name: 'Eve', password }, visitor())
    await people.changeMember(await scopeOf(olga), bob.person._id, { role: 'writer' })
    await expect(accept()).rejects.toMatchObject({ kind: 'forbidden' })
    expect((await people.commands.list()).map(({ name }) => name)).not.toContain('Eve')
    await people.changeMember(await scopeOf(olga), bob.person._id, { role: 'manager' })
    await expect(accept()).resolves.toMatchObject({ person: { email: 'eve@example.com' } })
  })

  it('is void once the inviter has left', async () => {
    const { people, olga, joined, scopeOf } = await anAccount()
    const bob = await joined('bob', 'manager')
    const { link } = await people.invite(await scopeOf(bob), { email: 'eve@example.com', role: 'analyst' })
    await people.removeMember(await scopeOf(olga), bob.person._id)
    await expect(people.accept({ token: tokenIn(link), name: 'Eve', password }, visitor())).rejects.toMatchObject({
      kind: 'forbidden',
    })
  })

  it('proves nothing about somebody who has an account: the password and the code do', async () => {
    const { people, olga, joined, scopeOf, withFactor } = await anAccount()
    const bob = await joined('bob', 'analyst')
    const { code } = await withFactor(bob)
    const { link } = await people.invite(await scopeOf(olga), { email: 'BOB@example.com', role: 'manager' })
    const accept = (given: { readonly password: string; readonly code?: string }) =>
      people.accept({ token: tokenIn(link), ...given }, visitor())
    await expect(accept({ password: 'another long password' })).rejects.toMatchObject({ kind: 'unauthenticated' })
    await expect(accept({ password })).rejects.toMatchObject({ code: 'second-factor-required' })
    await expect(accept({ password, code: code() })).resolves.toMatchObject({ person: { _id: bob.person._id } })
  })

  it('is used by one of two requests at the same time', async () => {
    const { people, olga, scopeOf } = await anAccount()
    const { link } = await people.invite(await scopeOf(olga), { email: 'eve@example.com', role: 'analyst' })
    const both = await Promise.allSettled(
      [1, 2].map(() => people.accept({ token: tokenIn(link), name: 'Eve', password }, visitor())),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await people.commands.list()).filter(({ name }) => name === 'Eve')).toHaveLength(1)
  })

  it('is void once it is cancelled, or 7 days old', async () => {
    const { people, olga, scopeOf, clock } = await anAccount()
    const scope = await scopeOf(olga)
    const cancelled = await people.invite(scope, { email: 'eve@example.com', role: 'analyst' })
    await people.cancelInvitation(scope, cancelled._id)
    const old = await people.invite(scope, { email: 'eve@example.com', role: 'analyst' })
    clock.advance(7 * 24 * 3_600_000)
    for (const { link } of [cancelled, old])
      await expect(people.accept({ token: tokenIn(link), name: 'Eve', password }, visitor())).rejects.toMatchObject({
        kind: 'unauthenticated',
      })
    expect((await people.list(scope)).invitations).toEqual([])
  })
})
