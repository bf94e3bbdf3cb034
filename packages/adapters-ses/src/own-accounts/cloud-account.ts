import { readFileSync } from 'node:fs'
import { GetAccountCommand, GetEmailIdentityCommand, type SESv2Client } from '@aws-sdk/client-sesv2'
import { Refusal } from '@posthorn/core'
import { invalid } from '@posthorn/core/ports/runtime'
import type { CloudAccount, CloudCredentials, CloudWarning } from '@posthorn/core/ports/transport'
import { sesClient } from '../http/sdk-client.js'
import { isErrorNamed } from '../identities/tenants.js'
import { sesAccountStateOf } from '../mailer/account-state.js'
import { isAccountError, sesErrorText } from '../mailer/outcome.js'
import { type OwnAccountsOptions, ownAccountPoolLimits, roleAssumer, sessionCredentialsOf } from './credentials.js'
import { ownEventsCheck } from './own-events.js'

const readTemplate = (name: string): string =>
  readFileSync(new URL(`../../cloudformation/${name}`, import.meta.url), 'utf8')

/** The role (parameters `AccountId`, `ExternalId`) and the events' topic (`ConfigurationSet`, `EventsUrl`). */
export const cloudFormationRoleTemplate = (): string => readTemplate('sending-role.json')

/** Only events: for accounts accessed by a key, and further regions. */
export const cloudFormationEventsTemplate = (): string => readTemplate('sending-events.json')

/** A person waits. */
const checkLimits = { ...ownAccountPoolLimits, connections: 2, requestTimeout: 15_000 }
const attempts = 3

/** Its address, its domain, or a parent domain may be verified. */
const identitiesOf = (email: string): readonly string[] => {
  const labels = email
    .slice(email.lastIndexOf('@') + 1)
    .toLowerCase()
    .split('.')
  return [...labels.slice(0, -1).map((_, n) => labels.slice(n).join('.')), email]
}

const accountProblem = (account: Parameters<typeof sesAccountStateOf>[0], region: string): string | undefined => {
  const { problem, passes } = sesAccountStateOf(account)
  if (problem !== undefined && !passes) return problem
  return account.ProductionAccessEnabled === false
    ? `The account is in the sandbox of Amazon SES in ${region}, and sends only to verified addresses. Request production access in the console of SES.`
    : undefined
}

const unheard = (why: CloudWarning): CloudWarning => ({
  ...why,
  message: `Posthorn receives no events of this account: bounces and complaints suppress nobody and are missing in statistics. ${why.message}`,
})

export const sesCloudAccount = (options: OwnAccountsOptions = {}): CloudAccount & { readonly close: () => void } => {
  const roles = roleAssumer({ ...options, limits: { ...checkLimits, ...options.limits } })

  /** Without a required external id, every project that names the role could use it. @throws Refusal `invalid` */
  const assertAsksForExternalId = async (credentials: CloudCredentials, region: string): Promise<void> => {
    if (!('roleArn' in credentials)) return
    const another = `not-${credentials.externalId}`
    const isOpen = await roles.assume(credentials.roleArn, another, region).then(
      () => true,
      () => false,
    )
    if (isOpen)
      throw invalid(
        'The role does not ask for the external id of the project, so that every project could enter by it. Make it by the setup link, or add the condition sts:ExternalId to its trust policy.',
      )
  }

  const isVerified = async (client: SESv2Client, name: string): Promise<boolean> => {
    const request = client.send(new GetEmailIdentityCommand({ EmailIdentity: name }))
    const found = await request.catch((error: unknown) => {
      if (isErrorNamed(error, 'NotFoundException') || isErrorNamed(error, 'BadRequestException')) return undefined
      throw error
    })
    return found?.VerifiedForSendingStatus === true
  }

  const warningsOf = async (
    projectId: string,
    credentials: CloudCredentials,
    region: string,
  ): Promise<readonly CloudWarning[]> => {
    const { eventsUrl, aws, sns } = options
    if (eventsUrl === undefined) {
      const message = 'This server has no address that Amazon posts events to (POSTHORN_PUBLIC_URL).'
      return [unheard({ code: 'no-public-url', message, values: {} })]
    }
    const events = ownEventsCheck({
      projectId,
      region,
      eventsUrl,
      credentials: sessionCredentialsOf(credentials, region, roles),
      aws,
      sns,
    })
    try {
      const problem = await events.problem().catch((): CloudWarning => {
        const message = `Whether it is set up could not be asked in ${region}.`
        return { code: 'events-unknown', message, values: { region } }
      })
      return problem === undefined ? [] : [unheard(problem)]
    } finally {
      events.close()
    }
  }

  const look: CloudAccount['look'] = async ({ projectId, credentials, region, senders }) => {
    const limits = { ...checkLimits, ...options.limits }
    const aws = { ...options.aws, credentials: sessionCredentialsOf(credentials, region, roles) }
    const client = sesClient(region, { aws, limits }, attempts)
    const known = new Map<string, Promise<boolean>>()
    const verified = (name: string) => {
      const answer = known.get(name) ?? isVerified(client, name)
      known.set(name, answer)
      return answer
    }
    try {
      const account = await client.send(new GetAccountCommand({}))
      await assertAsksForExternalId(credentials, region)
      const unverified: string[] = []
      for (const email of senders) {
        let isKnown = false
        for (const name of identitiesOf(email)) isKnown ||= await verified(name)
        if (!isKnown) unverified.push(email)
      }
      const problem = accountProblem(account, region)
      const warnings = await warningsOf(projectId, credentials, region)
      return {
        maxSendRate: account.SendQuota?.MaxSendRate ?? 0,
        unverified,
        ...(problem !== undefined && { problem }),
        ...(warnings.length > 0 && { warnings }),
      }
    } catch (error) {
      if (error instanceof Refusal || !isAccountError(error)) throw error
      throw invalid(sesErrorText(error, true))
    } finally {
      client.destroy()
    }
  }

  return { look, close: roles.close }
}
