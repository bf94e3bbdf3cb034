import { type LocalSes, localSes } from '@posthorn/local-aws'

export const region = 'eu-west-1'
export const topicArn = `arn:aws:sns:${region}:123456789012:posthorn`

/** A local SES with the domain example.com verified, whose configuration set `all` publishes such events to the topic. */
export const sesWithTopic = async (events: readonly string[]): Promise<LocalSes> => {
  const ses = await localSes()
  const { identities, configurationSets } = ses.region(region)
  identities.verify('example.com', true)
  configurationSets.create('all')
  configurationSets.addDestination('all', {
    EventDestinationName: 'sns',
    EventDestination: { Enabled: true, MatchingEventTypes: [...events], SnsDestination: { TopicArn: topicArn } },
  })
  return ses
}

/** What a server is started with that sends by that set and hears of that topic. */
export const sesEnvironment = {
  POSTHORN_MAILER: 'ses',
  POSTHORN_SES_REGION: region,
  POSTHORN_SES_CONFIGURATION_SET: 'all',
  POSTHORN_SES_TOPIC_ARN: topicArn,
  AWS_ACCESS_KEY_ID: 'AKIDLOCAL',
  AWS_SECRET_ACCESS_KEY: 'secret',
}
