import type { Secrets } from '../../kernel/ports.js'
import { Refusal } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { type CloudAccess, cloudAccessOf } from '../../own-cloud/cloud-check.js'
import type { Project } from '../../projects/project.js'
import type { OwnChannel } from './channel.js'
import { MailerUnavailable } from './mailer.js'

/** How the account of a project's channel is entered. Credentials are in clear text: not to be kept longer than they are used. */
export type OwnAccountAccess = {
  readonly projectId: string
  readonly region: string
  readonly credentials: CloudAccess['credentials']
  /** Mails per second that its owner allows; absent: as many as the account may send. */
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

/**
 * Reads how a project's own account is entered, for whoever makes its mailer: as it is stored at that moment, so that what has changed
 * is seen the next time.
 */
export const ownAccounts =
  ({ repositories: { projects }, secrets }: Deps) =>
  /** @throws MailerUnavailable where there are no credentials, or none that this server's secret opens */
  async ({ projectId, region }: OwnChannel): Promise<OwnAccountAccess> => {
    const project = await projects.get({ _id: projectId })
    if (!project) throw new MailerUnavailable('The project is gone.')
    const { limit } = project.cloudConfig ?? {}
    const { credentials } = accessOf(project, secrets, region)
    return { projectId, region, credentials, ...(limit !== undefined && { limit }) }
  }
export type OwnAccounts = ReturnType<typeof ownAccounts>
