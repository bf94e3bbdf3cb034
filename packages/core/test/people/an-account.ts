import { type CorePorts, type CoreSettings, createCore, type Scope, standardCoreSettings } from '@posthorn/core'
import type { Permission, Role } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { bytesOfBase32 } from '../../src/kernel/encoding.js'
import { oneTimeCode, totpStepAt } from '../../src/people/one-time-codes.js'

export const password = 'correct horse battery'

export const tokenIn = (url: string | undefined): string => url?.split('#')[1] ?? ''

let visitors = 0
/** Each from another address block, so that no limit counts them together. */
export const visitor = () => {
  visitors += 1
  return { addressBlock: `192.0.2.${visitors}`, userAgent: 'Test' }
}

/** A core whose first owner is Olga. */
export const anAccount = async (
  settings: Partial<CoreSettings> = {},
  ports: Pick<CorePorts, 'identityProvider'> = {},
) => {
  const world = inMemoryPorts({
    ...ports,
    settings: {
      ...standardCoreSettings,
      publicUrl: 'https://posthorn.example.com',
      workerName: 'worker-1',
      ...settings,
    },
  })
  const core = createCore(world.ports)
  const sample = await sampleProject(core)
  const accountId = sample.account._id
  const projectId = sample.project._id
  const { people } = core
  const olga = await people.setUp(
    { token: tokenIn(await people.setupLink()), email: 'olga@example.com', name: 'Olga', password },
    visitor(),
  )

  const scopeOf = ({ person }: typeof olga, permission: Permission = 'people.edit'): Promise<Scope> =>
    people.scopeIn({ person }, projectId, permission)

  /** Somebody who has joined with a role. */
  const joined = async (name: string, role: Role, within: 'account' | 'project' = 'account') => {
    const invitation = await people.invite(await scopeOf(olga), { email: `${name}@example.com`, role, within })
    return people.accept({ token: tokenIn(invitation.link), name, password }, visitor())
  }

  const codeNow = (secret: string) =>
    oneTimeCode(world.ports.credentials, bytesOfBase32(secret) ?? new Uint8Array(), totpStepAt(world.clock.now()))

  /** Sets up a second factor. */
  const withFactor = async (opened: typeof olga) => {
    const { secret = '' } = await people.setUpTotp(opened, { password }, visitor())
    const { recoveryCodes = [] } = await people.setUpTotp(opened, { password, code: codeNow(secret) }, visitor())
    world.clock.advance(30_000)
    return { secret, recoveryCodes, code: () => codeNow(secret) }
  }

  const entries = async () => {
    const all = []
    for await (const one of world.ports.repositories.auditEntries.each({})) all.push(one)
    return all
  }

  return { ...world, core, people, sample, accountId, projectId, olga, scopeOf, joined, withFactor, entries }
}
