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
  it('moves the project into production, with the requested volume as monthly limit', async () => {
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

  it('is possible without a request, and then sets no limit', async () => {
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

  it('can be repeated after an interruption', async () => {
    const world = await applied()
    await crashing(world, () => world.core.accessReviews.approve(world.scope.projectId))
    expect((await world.status()).requestStatus).toBe('pending')
    await world.core.accessReviews.approve(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'production', monthlyLimit: 50_000 })
    expect((await world.status()).requestStatus).toBe('approved')
  })

  it('can be declined after an interruption, and leaves the project in the sandbox', async () => {
    const world = await applied()
    await crashing(world, () => world.core.accessReviews.approve(world.scope.projectId))
    await world.core.accessReviews.decline(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'sandbox', monthlyLimit: 0 })
  })

  it('is refused if it is approved already, so that a raised limit stays', async () => {
    const world = await approved()
    await world.askForMore()
    await world.core.accessReviews.approveLimit(world.scope.projectId)
    await expect(world.core.accessReviews.approve(world.scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
    expect(await projectOf(world)).toMatchObject({ monthlyLimit: 80_000 })
  })

  it('is refused for a project with its own account, whose request stays unchanged', async () => {
    const world = await applied()
    await world.core.projects.update(world.scope, {
      status: 'byoCloudSes',
      cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
    })
    await expect(world.core.accessReviews.approve(world.scope.projectId)).rejects.toThrow('byoCloudSes')
    expect((await world.status()).requestStatus).toBe('pending')
  })

  it('is refused for an unknown project, and leaves no request', async () => {
    const { core } = await sandboxed()
    await expect(core.accessReviews.approve('0'.repeat(24))).rejects.toThrow('Project not found')
    expect(await core.accessReviews.list()).toEqual([])
  })
})

describe('declining production access', () => {
  it('keeps the project in the sandbox', async () => {
    const world = await applied()
    await world.core.accessReviews.decline(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'sandbox' })
    expect((await world.status()).requestStatus).toBe('declined')
  })

  it.each([sandboxed, approved])('is refused if nothing is pending', async (make) => {
    const { core, scope } = await make()
    await expect(core.accessReviews.decline(scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
  })
})

describe('revoking production access', () => {
  it('moves the project to the sandbox with its limits, and declines pending increases', async () => {
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

  it('stops the project first, and can be repeated after an interruption', async () => {
    const world = await approved()
    await crashing(world, () => world.core.accessReviews.revoke(world.scope.projectId))
    expect(await projectOf(world)).toMatchObject({ status: 'sandbox' })
    await world.core.accessReviews.revoke(world.scope.projectId)
    expect((await world.status()).requestStatus).toBe('revoked')
  })

  it('does not change a project with its own account', async () => {
    const world = await approved()
    await world.core.projects.update(world.scope, {
      status: 'byoCloudSes',
      cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
    })
    await world.core.accessReviews.revoke(world.scope.projectId)
    expect(await projectOf(world)).toMatchObject({ status: 'byoCloudSes', monthlyLimit: 50_000 })
    expect((await world.status()).requestStatus).toBe('revoked')
  })

  it.each([sandboxed, applied])('is refused if nothing is approved', async (make) => {
    const { core, scope } = await make()
    await expect(core.accessReviews.revoke(scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
  })
})

describe('reviewing a limit increase', () => {
  it('sets the requested limit, or the operator’s', async () => {
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

  it('can be repeated after an interruption', async () => {
    const world = await approved()
    await world.askForMore()
    await crashing(world, () => world.core.accessReviews.approveLimit(world.scope.projectId))
    expect((await world.status()).limitIncreases).toMatchObject([{ status: 'pending' }])
    await world.core.accessReviews.approveLimit(world.scope.projectId)
    expect(await world.status()).toMatchObject({ monthlyLimit: 80_000, limitIncreases: [{ status: 'approved' }] })
  })

  it('keeps the limit if it is declined', async () => {
    const world = await approved()
    await world.askForMore()
    await world.core.accessReviews.declineLimit(world.scope.projectId)
    expect(await world.status()).toMatchObject({ monthlyLimit: 50_000, limitIncreases: [{ status: 'declined' }] })
  })

  it.each(['approveLimit', 'declineLimit'] as const)('is refused if none is pending: %s', async (review) => {
    for (const { core, scope } of [await sandboxed(), await approved()])
      await expect(core.accessReviews[review](scope.projectId)).rejects.toThrow('There is no limit increase to review.')
  })
})

describe('the requests for review', () => {
  it('are listed by status, oldest first', async () => {
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

  it('are found by project', async () => {
    const { core, scope } = await sandboxed()
    await expect(core.accessReviews.get(scope.projectId)).rejects.toThrow('Production-access request not found')
  })
})

describe('a project with its own account', () => {
  const own = {
    status: 'byoCloudSes',
    cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
  }

  it('returns to the shared service: to production if that is approved, else to the sandbox', async () => {
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

  it('returns to the sandbox if its access was revoked', async () => {
    const world = await approved()
    await world.core.projects.update(world.scope, own)
    await world.core.accessReviews.revoke(world.scope.projectId)
    expect(await world.core.accessReviews.share(world.scope.projectId)).toMatchObject({ status: 'sandbox' })
  })

  it('is the only kind that can be returned', async () => {
    const { core, scope } = await approved()
    await expect(core.accessReviews.share(scope.projectId)).rejects.toMatchObject({ kind: 'blocked' })
    await expect(core.accessReviews.share('0'.repeat(24))).rejects.toThrow('Project not found')
  })
})

describe('the answer of a review', () => {
  it('is there for the applicant until the next decision or application', async () => {
    const world = await applied()
    const { accessReviews } = world.core
    const { projectId } = world.scope
    await accessReviews.decline(projectId, { answer: ' Where do the contacts come from? ' })
    expect(await world.status()).toMatchObject({
      requestStatus: 'declined',
      answer: 'Where do the contacts come from?',
    })
    await world.apply()
    expect(await world.status()).not.toHaveProperty('answer')
    await accessReviews.approve(projectId, { answer: 'Welcome' })
    expect(await world.status()).toMatchObject({ requestStatus: 'approved', answer: 'Welcome' })
    await accessReviews.revoke(projectId)
    expect(await world.status()).not.toHaveProperty('answer')
  })

  it('belongs to its own limit increase', async () => {
    const world = await approved()
    await world.askForMore()
    await world.core.accessReviews.declineLimit(world.scope.projectId, { answer: 'Not yet' })
    await world.askForMore()
    await world.core.accessReviews.approveLimit(world.scope.projectId, { answer: '' })
    const { limitIncreases } = await world.status()
    expect(limitIncreases.map(({ status, answer }) => [status, answer])).toEqual([
      ['declined', 'Not yet'],
      ['approved', undefined],
    ])
  })

  it('is refused if it is too long, and then nothing is decided', async () => {
    const world = await applied()
    const answer = 'x'.repeat(5001)
    await expect(world.core.accessReviews.decline(world.scope.projectId, { answer })).rejects.toMatchObject({
      kind: 'invalid',
    })
    expect((await world.status()).requestStatus).toBe('pending')
  })
})

describe('setting the monthly limit', () => {
  it('is for projects in production', async () => {
    const world = await applied()
    const { accessReviews } = world.core
    const { projectId } = world.scope
    await expect(accessReviews.setLimit(projectId, { monthlyLimit: 10 })).rejects.toMatchObject({ kind: 'blocked' })
    await accessReviews.approve(projectId)
    for (const monthlyLimit of [-1, 1.5])
      await expect(accessReviews.setLimit(projectId, { monthlyLimit })).rejects.toMatchObject({ kind: 'invalid' })
    expect(await accessReviews.setLimit(projectId, { monthlyLimit: 10 })).toMatchObject({ monthlyLimit: 10 })
    expect(await accessReviews.setLimit(projectId, { monthlyLimit: 0 })).toMatchObject({ monthlyLimit: 0 })
  })
})
