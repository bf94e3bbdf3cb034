import { type CorePorts, createCore } from '@posthorn/core'
import { aDomain, anObservedDns, inMemoryPorts, sampleProject } from '@posthorn/testkit'

export const application = {
  volume: 50_000,
  whyBluefox: 'Self-hosted',
  typeOfEmails: 'Receipts',
  contactsSource: 'Customers',
  productDescription: 'A shop',
  website: 'https://shop.example.com',
}

export const increase = { monthlyLimit: 80_000, reason: 'The list has grown' }

type Seen = Parameters<typeof anObservedDns>[0]

/** A project in sandbox, and what applying takes. */
export const sandboxed = async (changes: Partial<Omit<CorePorts, 'clock'>> = {}) => {
  const world = inMemoryPorts(changes)
  const core = createCore(world.ports)
  const project = await sampleProject(core, { production: false })
  const { scope } = project
  const { repositories, newId } = world.ports
  return {
    ...world,
    core,
    project,
    scope,
    status: () => core.productionAccess.status(scope),
    addDomain: (domain: string, seen: Seen = {}) =>
      repositories.domains.add(
        aDomain({ _id: newId(), projectId: scope.projectId, domain, observed: anObservedDns(seen) }),
      ),
    apply: (given: object = {}) => core.productionAccess.apply(scope, { ...application, ...given }),
    askForMore: (given: object = {}) => core.productionAccess.requestLimitIncrease(scope, { ...increase, ...given }),
  }
}

/** The same in production, after it applied. */
export const approved = async (changes: Partial<Omit<CorePorts, 'clock'>> = {}) => {
  const world = await sandboxed(changes)
  await world.addDomain('example.com')
  await world.apply()
  await world.core.accessReviews.approve(world.scope.projectId)
  return world
}
