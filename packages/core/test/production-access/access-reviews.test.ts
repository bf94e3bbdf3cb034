import { describe, expect, it } from 'vitest'
import { application, approved, sandboxed } from './world.js'

const applied = async () => {
  const world = await sandboxed()
  await world.addDomain('example.com')
  await world.apply()
  return world
}

type World = Awaited<ReturnType<typeof applied>>

/** The next change of a request is lost: what a crash between two records leaves behind. */
const crashing = async ({ ports }: World, review: () => Promise<unknown>) => {
  const { accessRequests } = ports.repositories
  const change = accessRequests.change.bind(accessRequests)
  accessRequests.change = async () => {
    throw new Error('The power went out')
  }
  await expect(review()).rejects.toThrow('The power went out')
  accessRequests.change = change
}

const projectOf = ({ core, scope }: World) => core.projects.get(scope)

describe('approving production access', () => {
  it('puts the project into production, with the volume it asked for as its monthly limit', async () => {
    const world = await applied()
    expect(await world.core.accessReviews.approve(world.scope.projectId)).toMatchObject({
      status: 'approved',
      application,
    })
    expect(await projectOf(world)).toMatchObject({ status: 'production', monthlyLimit: 50_000 })
    expect((await world.status()).requestStatus).toBe('approved')
  })

  it('may set another limit', async () => {
    const world = await applied()
    await world.core.accessReviews.approve(world.scope.projectId, { monthlyLimit: 1000 })
    expect(await projectOf(world)).toMatchObject({ monthlyLimit: 1000 })
    await expect(world.core.accessReviews.approve(world.scope.projectId, { monthlyLimit: -1 })).rejects.toMatchObject({
      kind: 'invalid',
    })
  })

  it('needs nobody to have asked, and sets no limit then', async () => {
    const world = await sandboxed()
    expect(await world.core.accessReviews.approve(world.scope.projectId)).not.toHaveProperty('application')
    expect(await projectOf(world)).toMatchObject({ status: 'production', monthlyLimit: 0 })
    expect((await world.status()).requestStatus).toBe('approved')
  })

  it('does not lift a restriction', async () => {
    const world = await applied()
    await world.core.restriction.restrict(world.scope.projectId, { reason: 'spam' })
    await world.core.accessReviews.approve(world.scope.projectId)
    expect(await world.status()).toMatchObject({ restricted: true, restrictedReason: 'spam' })
  })

  it('that was cut short is completed by repeating it', async () => {
    const world = await applied()
    await crashing(world, () => world.core.accessReviews.approve(world.scope.projectId))
    expect((await world.status()).requestStatus).toBe('pending')
    await world.core.accessReviews.approve(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'production', monthlyLimit: 50_000 })
    expect((await world.status()).requestStatus).toBe('approved')
  })

  it('that was cut short can be declined instead, and the project is in the sandbox', async () => {
    const world = await applied()
    await crashing(world, () => world.core.accessReviews.approve(world.scope.projectId))
    await world.core.accessReviews.decline(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'sandbox', monthlyLimit: 0 })
  })

  it('is refused when it is approved, so that a limit raised since is not undone', async () => {
    const world = await approved()
    await world.askForMore()
    await world.core.accessReviews.approveLimit(world.scope.projectId)
    await expect(world.core.accessReviews.approve(world.scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
    expect(await projectOf(world)).toMatchObject({ monthlyLimit: 80_000 })
  })

  it('is refused to a project that sends through its own account, whose request stays as it was', async () => {
    const world = await applied()
    await world.core.projects.update(world.scope, {
      status: 'byoCloudSes',
      cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
    })
    await expect(world.core.accessReviews.approve(world.scope.projectId)).rejects.toThrow('byoCloudSes')
    expect((await world.status()).requestStatus).toBe('pending')
  })

  it('is refused where there is no such project, and leaves no request behind', async () => {
    const { core } = await sandboxed()
    await expect(core.accessReviews.approve('0'.repeat(24))).rejects.toThrow('Project not found')
    expect(await core.accessReviews.list()).toEqual([])
  })
})

describe('declining production access', () => {
  it('leaves the project in the sandbox', async () => {
    const world = await applied()
    await world.core.accessReviews.decline(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'sandbox' })
    expect((await world.status()).requestStatus).toBe('declined')
  })

  it.each([sandboxed, approved])('is refused where nothing is pending', async (make) => {
    const { core, scope } = await make()
    await expect(core.accessReviews.decline(scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
  })
})

describe('revoking production access', () => {
  it('puts the project back in the sandbox, with its caps, and declines what it had asked for', async () => {
    const world = await approved()
    await world.askForMore()
    await world.core.accessReviews.revoke(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'sandbox', monthlyLimit: 0 })
    expect(await world.status()).toMatchObject({
      requestStatus: 'revoked',
      limitIncreases: [{ status: 'declined' }],
      sendingRates: [{ ratePerSecond: 1 }, {}, {}, {}],
    })
  })

  it('that was cut short has stopped the project already, and is completed by repeating it', async () => {
    const world = await approved()
    await crashing(world, () => world.core.accessReviews.revoke(world.scope.projectId))
    expect(await projectOf(world)).toMatchObject({ status: 'sandbox' })
    await world.core.accessReviews.revoke(world.scope.projectId)
    expect((await world.status()).requestStatus).toBe('revoked')
  })

  it('leaves a project alone that sends through its own account', async () => {
    const world = await approved()
    await world.core.projects.update(world.scope, {
      status: 'byoCloudSes',
      cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
    })
    await world.core.accessReviews.revoke(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'byoCloudSes', monthlyLimit: 50_000 })
    expect((await world.status()).requestStatus).toBe('revoked')
  })

  it.each([sandboxed, applied])('is refused where nothing is approved', async (make) => {
    const { core, scope } = await make()
    await expect(core.accessReviews.revoke(scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
  })
})

describe('reviewing a limit increase', () => {
  it('sets what was asked for, or what the operator says', async () => {
    const world = await approved()
    await world.askForMore()
    await world.core.accessReviews.approveLimit(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ monthlyLimit: 80_000 })
    await world.askForMore({ monthlyLimit: 0 })
    await world.core.accessReviews.approveLimit(world.scope.projectId, { monthlyLimit: 90_000 })
    expect(await world.status()).toMatchObject({
      monthlyLimit: 90_000,
      limitIncreases: [
        { requestedLimit: 80_000, approvedLimit: 80_000, status: 'approved' },
        { requestedLimit: 0, approvedLimit: 90_000, status: 'approved' },
      ],
    })
  })

  it('that was cut short is completed by repeating it', async () => {
    const world = await approved()
    await world.askForMore()
    await crashing(world, () => world.core.accessReviews.approveLimit(world.scope.projectId))
    expect((await world.status()).limitIncreases).toMatchObject([{ status: 'pending' }])
    await world.core.accessReviews.approveLimit(world.scope.projectId)
    expect(await world.status()).toMatchObject({ monthlyLimit: 80_000, limitIncreases: [{ status: 'approved' }] })
  })

  it('leaves the limit as it was when it is declined', async () => {
    const world = await approved()
    await world.askForMore()
    await world.core.accessReviews.declineLimit(world.scope.projectId)
    expect(await world.status()).toMatchObject({ monthlyLimit: 50_000, limitIncreases: [{ status: 'declined' }] })
  })

  it.each(['approveLimit', 'declineLimit'] as const)('is refused where none is pending: %s', async (review) => {
    for (const { core, scope } of [await sandboxed(), await approved()])
      await expect(core.accessReviews[review](scope.projectId)).rejects.toThrow('There is no limit increase to review.')
  })
})

describe('the requests to review', () => {
  it('are listed by status, in the order in which they came', async () => {
    const world = await applied()
    const { core, ports, scope } = world
    const other = await core.projects.create({ accountId: world.project.account._id, name: 'Other' })
    await core.accessReviews.approve(other._id)
    const projects = async (status?: 'pending' | 'approved' | 'none') =>
      (await core.accessReviews.list(status)).map(({ projectId }) => projectId)
    expect(await projects()).toEqual([scope.projectId, other._id])
    expect(await projects('pending')).toEqual([scope.projectId])
    expect(await projects('none')).toEqual([])
    expect(ports.repositories.accessRequests).toBeDefined()
  })

  it('are found by project, or not', async () => {
    const { core, scope } = await sandboxed()
    await expect(core.accessReviews.get(scope.projectId)).rejects.toThrow('Production-access request not found')
  })
})

describe('a project that sends through its own account', () => {
  const own = {
    status: 'byoCloudSes',
    cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
  }

  it('is put back on the shared service: in production where that is approved, else in the sandbox', async () => {
    for (const [make, status] of [
      [approved, 'production'],
      [sandboxed, 'sandbox'],
    ] as const) {
      const world = await make()
      await world.core.projects.update(world.scope, own)
      expect(await world.core.accessReviews.share(world.scope.projectId)).toMatchObject({ status })
      expect(await projectOf(world)).toMatchObject({ status, cloudConfig: { region: 'eu-west-1' } })
    }
  })

  it('is put back in the sandbox where its access was revoked meanwhile', async () => {
    const world = await approved()
    await world.core.projects.update(world.scope, own)
    await world.core.accessReviews.revoke(world.scope.projectId)
    expect(await world.core.accessReviews.share(world.scope.projectId)).toMatchObject({ status: 'sandbox' })
  })

  it('is the only one that can be put back', async () => {
    const { core, scope } = await approved()
    await expect(core.accessReviews.share(scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
    await expect(core.accessReviews.share('0'.repeat(24))).rejects.toThrow('Project not found')
  })
})
