import type { Secrets } from '../../kernel/ports.js'
import { Refusal } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { type CloudAccess, cloudAccessOf } from '../../own-cloud/cloud-check.js'
import type { Project } from '../../projects/project.js'
import type { OwnChannel } from './channel.js'
import { MailerUnavailable } from './mailer.js'

/** Access to a project's own account. Credentials are in clear text: do not keep them longer than needed. */
export type OwnAccountAccess = {
  readonly projectId: string
  readonly region: string
  readonly credentials: CloudAccess['credentials']
  /** Mails per second that the owner allows; if absent, the account's own limit applies. */
  readonly limit?: number
}

type Deps = { readonly repositories: RepositoriesFor<{ projects: Project }>; readonly secrets: Pick<Secrets, 'open'> }

const anew = 'Store the credentials of cloudConfig anew, and check them.'

const accessOf = ({ cloudConfig, cloudExternalId }: Project, secrets: Deps['secrets'], region: string): CloudAccess => {
  try {
    return cloudAccessOf({ ...cloudConfig, region }, cloudExternalId, secrets)
  } catch (error) {
    if (error instanceof Refusal) throw new MailerUnavailable(`The project’s own account has no credentials. ${anew}`)
    throw new MailerUnavailable(`The stored credentials of the project’s own account cannot be opened. ${anew}`)
  }
}

/** Reads the access to a project's own account for its mailer. Reads the store each time, so that changes take effect. */
export const ownAccounts =
  ({ repositories: { projects }, secrets }: Deps) =>
  /** @throws MailerUnavailable if there are no credentials, or this server's secret cannot decrypt them */
  async ({ projectId, region }: OwnChannel): Promise<OwnAccountAccess> => {
    const project = await projects.get({ _id: projectId })
    if (!project) throw new MailerUnavailable('The project is gone.')
    const { limit } = project.cloudConfig ?? {}
    const { credentials } = accessOf(project, secrets, region)
    return { projectId, region, credentials, ...(limit !== undefined && { limit }) }
  }
export type OwnAccounts = ReturnType<typeof ownAccounts>
