import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  type DkimAttributes,
  GetEmailIdentityCommand,
  type GetEmailIdentityResponse,
  PutEmailIdentityMailFromAttributesCommand,
  type SESv2Client,
} from '@aws-sdk/client-sesv2'
import { type Log, Refusal } from '@posthorn/core'
import { invalid, unavailable } from '@posthorn/core/ports/runtime'
import type { DomainIdentities } from '@posthorn/core/ports/transport'
import { type SesOptions, sesClient } from '../http/sdk-client.js'
import { sesErrorText } from '../mailer/outcome.js'
import { isErrorNamed, type RegionalSesClient, resultIfFound, sesTenants, unlessThere } from './tenants.js'

export type SesIdentitiesOptions = SesOptions & {
  readonly topicArn?: string | undefined
  readonly log?: Log
}

/** Tags identities created here; no tenant gets others, which belong to their owner. */
const mark = 'posthorn'

const isOurs = ({ Tags = [] }: GetEmailIdentityResponse): boolean => Tags.some(({ Key }) => Key === mark)

/** Besides sending, SES allows about one call per second. Idempotent steps let the SDK retry. */
const attempts = 6

const hostedZone = 'dkim.amazonses.com'

const dkimOf = ({ Tokens = [], SigningHostedZone = hostedZone }: DkimAttributes = {}) =>
  Tokens.map((selector) => ({ selector, target: `${selector}.${SigningHostedZone}` }))

/** Easy DKIM and a MAIL FROM sub-domain; a tenant per project. */
export const sesIdentities = ({
  topicArn,
  log = () => {},
  ...options
}: SesIdentitiesOptions = {}): DomainIdentities & { readonly close: () => void } => {
  const clients = new Map<string, SESv2Client>()

  const stepIn = (region: string): RegionalSesClient => {
    const client = clients.get(region) ?? sesClient(region, options, attempts)
    clients.set(region, client)
    return { client, region }
  }

  /** Only for the operator's log: AWS's texts name accounts and roles. */
  const withLog = async <T>(what: string, request: Promise<T>): Promise<T> => {
    try {
      return await request
    } catch (error) {
      if (error instanceof Refusal) throw error
      log('error', what, { reason: sesErrorText(error) })
      throw unavailable('The sending provider is unavailable. Please try again later.')
    }
  }

  const stored = ({ client }: RegionalSesClient, domain: string) =>
    resultIfFound(client.send(new GetEmailIdentityCommand({ EmailIdentity: domain })))

  /** @throws Refusal `invalid` for a name that SES rejects, or someone else's identity */
  const identity = async (step: RegionalSesClient, domain: string): Promise<DkimAttributes | undefined> => {
    const Tags = [{ Key: mark, Value: 'domain' }]
    const making = step.client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain, Tags }))
    const made = await unlessThere(making).catch((error: unknown) => {
      if (isErrorNamed(error, 'BadRequestException'))
        throw invalid(`domain: the sending provider does not accept ${domain}`)
      throw error
    })
    if (made) return made.DkimAttributes
    const found = await stored(step, domain)
    if (found && !isOurs(found))
      throw invalid(
        `domain: ${domain} is known to the sending provider already. The operator of this server decides whose it is`,
      )
    return found?.DkimAttributes
  }

  const create: DomainIdentities['create'] = async ({ domain, region, projectId }) => {
    const step = stepIn(region)
    const attributes = await identity(step, domain)
    const mailFrom = { EmailIdentity: domain, MailFromDomain: `mail.${domain}` }
    await step.client.send(
      new PutEmailIdentityMailFromAttributesCommand({ ...mailFrom, BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' }),
    )
    const tenant = await sesTenants(step, topicArn).create(projectId, domain)
    return {
      dkim: dkimOf(attributes),
      bounceHost: `feedback-smtp.${region}.amazonses.com`,
      spf: 'v=spf1 include:amazonses.com ~all',
      tenant,
    }
  }

  const remove: DomainIdentities['remove'] = async ({ domain, region, projectId, shared }) => {
    const step = stepIn(region)
    await sesTenants(step, topicArn).remove(projectId, domain)
    const found = shared ? undefined : await stored(step, domain)
    if (found && isOurs(found))
      await resultIfFound(step.client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain })))
  }

  const identities: DomainIdentities = {
    perProject: false,
    create: (of) => withLog('A domain could not be added to Amazon SES', create(of)),
    verified: async ({ domain, region }) => {
      const found = await stored(stepIn(region), domain)
      return found?.VerifiedForSendingStatus === true && found.DkimAttributes?.Status === 'SUCCESS'
    },
    remove: (of) => withLog('A domain could not be removed from Amazon SES', remove(of)),
  }
  return {
    ...identities,
    close: (): void => {
      for (const client of clients.values()) client.destroy()
    },
  }
}
