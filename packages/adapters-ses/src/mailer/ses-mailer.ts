import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { Log } from '@posthorn/core'
import type { Mailer } from '@posthorn/core/ports/transport'
import { type SesOptions, sesClient, standardConnectionPoolLimits } from '../http/sdk-client.js'
import type { SesSendCredentials } from '../http/send-client.js'
import type { SesEndpoint } from '../http/send-request.js'
import { cachedSesAccountState } from './account-state.js'
import { type SesTenantOf, sesMailSender } from './mail-sender.js'
import { type AnswerToSesThread, type SesThreadQuestion, sesThreadQuestionAnswerer } from './thread-mailer.js'

/** Composes a request that is never sent. */
const sendEndpointOf = async (client: SESv2Client): Promise<SesEndpoint> => {
  let found: SesEndpoint | undefined
  const command = new SendEmailCommand({ Content: { Raw: { Data: Buffer.alloc(0) } } })
  command.middlewareStack.add(
    () =>
      async ({ request }) => {
        const { protocol, hostname, port, path } = request as SesEndpoint
        found = { protocol, hostname, path, ...(port !== undefined && { port }) }
        return { output: { $metadata: {} }, response: {} }
      },
    { step: 'build', name: 'lookWhereItGoes' },
  )
  await client.send(command)
  if (!found) throw new Error('The AWS SDK made no request.')
  return found
}

/** The SDK resolves profiles, `AWS_ENDPOINT_URL_SESV2` and partitions, and renews credentials five minutes before they expire. */
const sendAccess = (client: SESv2Client) => {
  let looking: Promise<SesEndpoint> | undefined

  const endpointOf = (): Promise<SesEndpoint> => {
    looking ??= sendEndpointOf(client).catch((error: unknown) => {
      looking = undefined
      throw error
    })
    return looking
  }

  return async (): Promise<SesSendCredentials> => {
    const { accessKeyId, secretAccessKey, sessionToken } = await client.config.credentials()
    return {
      endpoint: await endpointOf(),
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      // Measured by the SDK's own calls.
      clockOffset: client.config.systemClockOffset,
    }
  }
}

export type SesMailerOptions = SesOptions & {
  readonly region: string
  /** For mails without a tenant; without a set, SES publishes no events. */
  readonly configurationSet?: string | (() => Promise<string | undefined>) | undefined
  readonly tenantOf?: SesTenantOf
  /** Whether SES reports sends by events, so that an unknown outcome may be awaited. */
  readonly reportsSends?: boolean
  readonly isOwn?: boolean
  readonly log?: Log
  readonly now?: () => number
}

export type SesMailer = Mailer & {
  /** For the sending thread, which has neither SDK nor store. Never throws. */
  readonly answer: (question: SesThreadQuestion) => Promise<AnswerToSesThread>
}

/** Amazon SES in one region. Never throws for a mail. */
export const sesMailer = ({
  region,
  configurationSet,
  tenantOf,
  reportsSends = false,
  isOwn = false,
  log = () => {},
  now = Date.now,
  ...options
}: SesMailerOptions): SesMailer => {
  const client = sesClient(region, options)
  const account = cachedSesAccountState(client, { log, now, isOwn })
  const limits = { ...standardConnectionPoolLimits, ...options.limits }
  const access = sendAccess(client)
  const { doubt } = account
  const sending = sesMailSender({ region, limits, access, tenantOf, configurationSet, isOwn, doubt, now })

  /** Only an own account's owner sees it: the operator's mails should not fail at once. */
  const problemForOwner = async () => {
    const { problem, passes = false } = (await account.current()) ?? {}
    return passes ? undefined : problem
  }

  return {
    send: sending.send,
    ratePerSecond: async () => (await account.current())?.ratePerSecond,
    ...(isOwn && { problem: problemForOwner }),
    waitsFor: async () => {
      const { problem, passes = false } = (await account.current()) ?? {}
      return passes ? problem : undefined
    },
    reportsSends,
    concurrency: limits.connections,
    check: account.check,
    answer: sesThreadQuestionAnswerer({ access, tenantOf, doubt }),
    close: async () => {
      sending.close()
      client.destroy()
    },
  }
}
