import { GetConfigurationSetEventDestinationsCommand } from '@aws-sdk/client-sesv2'
import type { AwsOptions } from '../http/sdk-client.js'
import { sesReportedEventTypes } from '../identities/tenants.js'
import { sesErrorText } from '../mailer/outcome.js'
import { setupClients, snsSubscriptionsOf, undefinedIfNotFound } from './setup-steps.js'

export type EventsCheckOptions = {
  readonly region: string
  readonly topicArn: string
  readonly configurationSet?: string | undefined
  /** Ignored with a queue. */
  readonly endpoint: string
  readonly queueUrl?: string | undefined
  readonly aws?: AwsOptions
}

export type EventsFinding = { readonly what: string; readonly says: string; readonly ok: boolean }

/** Checks what SES publishes and who receives it. Read-only; never throws. */
export const sesEventsCheck = async ({
  region,
  topicArn,
  configurationSet,
  endpoint,
  queueUrl,
  aws,
}: EventsCheckOptions): Promise<readonly EventsFinding[]> => {
  const clients = setupClients(region, aws)

  const published = async (): Promise<EventsFinding> => {
    const what = 'events published'
    if (configurationSet === undefined)
      return {
        what,
        ok: true,
        says: 'for domains added to Posthorn; set POSTHORN_SES_CONFIGURATION_SET for all others',
      }
    const asked = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: configurationSet })
    const { EventDestinations = [] } = (await undefinedIfNotFound(clients.ses.send(asked))) ?? {}
    const types = EventDestinations.filter(
      ({ Enabled, SnsDestination }) => Enabled === true && SnsDestination?.TopicArn === topicArn,
    ).flatMap(({ MatchingEventTypes = [] }) => MatchingEventTypes)
    const missing = sesReportedEventTypes.filter((type) => !types.includes(type))
    const ok = types.includes('BOUNCE') && types.includes('COMPLAINT')
    const says = `the configuration set ${configurationSet} publishes ${types.join(', ') || 'nothing'} to the topic`
    return { what, ok, says: missing.length === 0 ? says : `${says}, but not ${missing.join(', ')}` }
  }

  const subscribed = async (): Promise<EventsFinding> => {
    const what = 'events received'
    const queueName = queueUrl?.split('/').at(-1)
    const isMeant = (one: string) => (queueName === undefined ? one === endpoint : one.endsWith(`:${queueName}`))
    const meant = (await snsSubscriptionsOf(clients, topicArn)).filter((one) => isMeant(one.endpoint))
    const who = queueName === undefined ? endpoint : `the queue ${queueName}`
    if (meant.length === 0) return { what, ok: false, says: `${who} is not subscribed to ${topicArn}` }
    const ok = meant.some(({ confirmed }) => confirmed)
    return { what, ok, says: ok ? `${who} is subscribed to the topic` : `the subscription of ${who} is not confirmed` }
  }

  const looked = async (what: string, look: () => Promise<EventsFinding>): Promise<EventsFinding> => {
    try {
      return await look()
    } catch (error) {
      return { what, ok: false, says: sesErrorText(error) }
    }
  }

  try {
    return await Promise.all([looked('events published', published), looked('events received', subscribed)])
  } finally {
    clients.close()
  }
}
