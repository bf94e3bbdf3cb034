import { addressKey } from '../kernel/email-address.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { ifLimitReached, type ProjectLimits, roomFor } from '../kernel/project-limits.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import type { SenderIdentity } from './sender-identity.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ senderIdentities: SenderIdentity }>
  readonly clock: Clock
  readonly newId: NewId
  readonly settings: { readonly limits: Pick<ProjectLimits, 'senderIdentities'> }
}

/**
 * Adds a From address at the end of the project's list.
 * @throws KeyTaken if the project has that address in that region, Refusal `invalid` if it is at its limit
 */
export const senderIdentityAdding =
  ({ repositories: { senderIdentities }, clock, newId, settings }: Deps) =>
  async (
    projectId: string,
    { email, name, region }: Pick<SenderIdentity, 'email' | 'name' | 'region'>,
  ): Promise<SenderIdentity> => {
    const now = clock().toISOString()
    const { items } = await senderIdentities.list({
      where: { projectId },
      sort: { by: 'position', order: 'desc' },
      skip: 0,
      limit: 1,
    })
    const identity: SenderIdentity = {
      _id: newId(),
      projectId,
      email,
      emailKey: addressKey(email),
      name,
      region,
      position: (items[0]?.position ?? 0) + 1,
      ...stamps(now),
    }
    await senderIdentities
      .add(identity, roomFor(projectId, settings.limits.senderIdentities))
      .catch(ifLimitReached('sender identities'))
    return identity
  }
export type AddSenderIdentity = ReturnType<typeof senderIdentityAdding>
