import type { SesConfig } from '../adapters/ses.js'
import { CommandFailure } from './output.js'

const region = 'eu-west-1'
const topicArn = `arn:aws:sns:${region}:123456789012:posthorn`
const configurationSet = 'demo'

/** Every fiftieth contact. */
const bounces = /^contact-\d*?(?:00|50)@/

/** Points the AWS SDK to it through this process's environment. */
export const startDemoSes = async () => {
  const { localSes } = await import('@posthorn/local-aws').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandFailure('The demo needs @posthorn/local-aws for its Amazon SES, which is not installed here.', 1)
  })
  const ses = await localSes({
    account: { maxSendRate: 2_000, max24HourSend: -1 },
    bounces: (address) => bounces.test(address),
  })
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: ses.url,
    AWS_ACCESS_KEY_ID: 'AKIDDEMO',
    AWS_SECRET_ACCESS_KEY: 'demo',
    AWS_SESSION_TOKEN: '',
  })
  const { identities, configurationSets } = ses.region(region)
  identities.verify('example.com', true)
  configurationSets.create(configurationSet)
  configurationSets.addDestination(configurationSet, {
    EventDestinationName: 'posthorn',
    EventDestination: {
      Enabled: true,
      MatchingEventTypes: ['SEND', 'BOUNCE', 'COMPLAINT', 'REJECT'],
      SnsDestination: { TopicArn: topicArn },
    },
  })
  const config: SesConfig = {
    region,
    configurationSet,
    topicArn,
    eventsQueue: undefined,
    snsEndpoint: ses.url,
    eventsUrl: undefined,
  }
  return {
    config,
    url: ses.url,
    tell: (base: string): Promise<void> => ses.sns.subscribe(topicArn, `${base}/v1/ses/events`),
    /** Resolves when all events have been accepted. */
    taken: async (): Promise<{ readonly mails: number; readonly bounces: number }> => {
      await ses.sns.settled()
      return {
        mails: ses.sent.length,
        bounces: ses.sent.filter(({ to: [address = ''] }) => bounces.test(address)).length,
      }
    },
    close: ses.close,
  }
}
export type DemoSes = Awaited<ReturnType<typeof startDemoSes>>
