import { ownCloudEventsName } from '@posthorn/core/ports/transport'
import { SesError } from '@posthorn/local-aws'
import { describe, expect, it } from 'vitest'
import { ownTopicOfArn } from '../../src/events/ses-events.js'
import { awsAccountLookup, ownAccountMailers, sesCloudAccount } from '../../src/index.js'
import { atEnd, mail, region, started } from '../world.js'

const keys = { accessKeyId: 'AKIDSHOP', secretAccessKey: 'shop-secret' }
const projectId = 'a'.repeat(24)
const name = ownCloudEventsName(projectId)
const types = ['SEND', 'BOUNCE', 'COMPLAINT', 'REJECT', 'RENDERING_FAILURE']
const accountId = '210000000001'
const topicArn = `arn:aws:sns:${region}:${accountId}:${name}`

/** An own account, whose events may be set up as its template does; `answered` is how a server takes what it posts. */
const own = async () => {
  const ses = await started()
  const shop = ses.addAccount({ id: accountId, ...keys })
  const { identities, configurationSets } = shop.region(region)
  identities.verify('own.example', true)
  const eventsUrl = `${ses.url}/v1/ses/events`
  let time = 0
  const options = {
    aws: { endpoint: ses.url },
    sns: { endpoint: ses.url },
    sts: { endpoint: ses.url, credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'secret' } },
    eventsUrl,
  }
  const account = sesCloudAccount(options)
  const mailers = ownAccountMailers({ ...options, now: () => time })
  atEnd(mailers.close)
  atEnd(async () => account.close())
  return {
    ses,
    shop,
    eventsUrl,
    mailers,
    warnings: async () => {
      const senders = ['news@own.example']
      const { warnings = [] } = await account.look({ projectId, credentials: keys, region, senders })
      return warnings
    },
    mailer: () => mailers.of({ owner: projectId, region, credentials: keys }),
    send: (deliveryId?: string) =>
      mailers
        .of({ owner: projectId, region, credentials: keys })
        .send(mail({ from: 'news@own.example', ...(deliveryId && { deliveryId }) })),
    later: (milliseconds: number) => {
      time += milliseconds
    },
    makeSet: () => configurationSets.create(name),
    publish: (to = topicArn, matching = types) =>
      configurationSets.addDestination(name, {
        EventDestinationName: 'posthorn',
        EventDestination: { Enabled: true, MatchingEventTypes: matching, SnsDestination: { TopicArn: to } },
      }),
    /** As a subscription of this server, which confirms it, or does not. */
    subscribe: async (confirms = true) => {
      shop.topics.set(topicArn, new Map())
      await ses.sns.subscribe(topicArn, eventsUrl)
      const { message } = ses.sns.posts.at(-1) ?? {}
      if (confirms) ses.sns.confirm(topicArn, message?.Token ?? '')
    },
  }
}
type Own = Awaited<ReturnType<typeof own>>
const ready = async (given: Own) => {
  given.makeSet()
  given.publish()
  await given.subscribe()
}

describe('events of an own account', () => {
  it('are recognised by inspection if they are set up', async () => {
    const account = await own()
    await ready(account)
    expect(await account.warnings()).toEqual([])
  })

  it.each<[string, (given: Own) => unknown, string, string]>([
    [
      'nothing is there',
      () => undefined,
      `There is no configuration set ${name} in ${region}. Make it by the template`,
      'no-configuration-set',
    ],
    ['the set publishes nothing', ({ makeSet }) => makeSet(), 'publishes to no topic of that name', 'no-topic'],
    [
      'the set publishes to another topic',
      (one) => [one.makeSet(), one.publish(topicArn.replace(projectId, 'b'.repeat(24)))],
      'publishes to no topic of that name',
      'no-topic',
    ],
    [
      'the set publishes some alone',
      (one) => [one.makeSet(), one.publish(topicArn, ['BOUNCE', 'COMPLAINT', 'REJECT'])],
      'does not publish SEND, RENDERING_FAILURE',
      'events-not-published',
    ],
    [
      'nobody is subscribed',
      (one) => [one.makeSet(), one.publish()],
      'has no confirmed subscription',
      'topic-not-subscribed',
    ],
    [
      'the subscription waits to be confirmed',
      async (one) => {
        one.makeSet()
        one.publish()
        await one.subscribe(false)
      },
      'have its confirmation sent again',
      'topic-not-subscribed',
    ],
    [
      'it may not be looked at',
      ({ ses }) =>
        ses.failWith(({ operation }) =>
          operation === 'GetConfigurationSetEventDestinations'
            ? new SesError('AccessDeniedException', 'No.', 403)
            : undefined,
        ),
      'allow ses:GetConfigurationSetEventDestinations and',
      'events-check-not-allowed',
    ],
    [
      'the topic may not be looked at',
      (one) => {
        one.makeSet()
        one.publish()
        one.ses.failWith(({ operation }) =>
          operation === 'ListSubscriptionsByTopic' ? new SesError('AuthorizationError', 'No.', 403) : undefined,
        )
      },
      'sns:ListSubscriptionsByTopic',
      'events-check-not-allowed',
    ],
  ])(
    'are reported missing if %s, with advice, and mails are sent without them',
    async (_what, prepare, words, code) => {
      const account = await own()
      await prepare(account)
      const [told] = await account.warnings()
      expect(told?.message).toContain('bounces and complaints suppress nobody')
      expect(told?.message).toContain(words)
      expect(told).toMatchObject({ code, values: { region, configurationSet: name, eventsUrl: account.eventsUrl } })
      expect(await account.send()).toMatchObject({ kind: 'accepted' })
      expect(account.ses.sent[0]?.configurationSet).toBeUndefined()
      expect(account.mailer().reportsSends).toBe(false)
    },
  )

  it('are reported unknown if AWS does not respond', async () => {
    const account = await own()
    account.ses.failWith(({ operation }) =>
      operation === 'GetConfigurationSetEventDestinations' ? 'break-before' : undefined,
    )
    expect(await account.warnings()).toMatchObject([{ code: 'events-unknown', values: { region } }])
  })

  it('are requested with the project’s configuration set, whose Send events are then expected', async () => {
    const account = await own()
    await ready(account)
    expect(account.mailer().reportsSends).toBe(false)
    await account.mailer().ratePerSecond()
    expect(account.mailer().reportsSends).toBe(true)
    expect(await account.send()).toMatchObject({ kind: 'accepted' })
    expect(account.ses.sent[0]?.configurationSet).toBe(name)
  })

  it('are checked once for many mails, and again after a while', async () => {
    const account = await own()
    const asked = () =>
      account.ses.calls.filter((one) => one.operation === 'GetConfigurationSetEventDestinations').length
    await Promise.all([account.send(), account.send(), account.send()])
    expect(asked()).toBe(1)
    await ready(account)
    account.later(5 * 60_000)
    await account.send()
    await expect.poll(() => account.mailer().reportsSends).toBe(true)
    expect(asked()).toBe(2)
    await account.send()
    expect(account.ses.sent.at(-1)?.configurationSet).toBe(name)
  })

  it('stop no mails when their configuration set is removed', async () => {
    const account = await own()
    await ready(account)
    await account.send()
    account.shop.region(region).configurationSets.remove(name)
    account.later(10_000)
    expect(await account.send()).toMatchObject({ kind: 'deferred', error: { name: 'NotFoundException' } })
    expect(await account.send()).toMatchObject({ kind: 'accepted' })
    expect(account.mailer().reportsSends).toBe(false)
  })

  it('are reported missing on a server without a public URL', async () => {
    const { ses } = await own()
    const account = sesCloudAccount({ aws: { endpoint: ses.url } })
    atEnd(async () => account.close())
    const { warnings } = await account.look({ projectId, credentials: keys, region, senders: [] })
    expect(warnings).toMatchObject([{ code: 'no-public-url', message: expect.stringContaining('POSTHORN_PUBLIC_URL') }])
  })
})

describe('the account of credentials', () => {
  it('is in a role’s ARN, and queried from STS once per key', async () => {
    const { ses } = await own()
    const accountIdOf = awsAccountLookup({ sts: { endpoint: ses.url } })
    expect(await accountIdOf({ roleArn: 'arn:aws:iam::210000000009:role/sending' }, region)).toBe('210000000009')
    for (let times = 0; times < 2; times += 1) expect(await accountIdOf(keys, region)).toBe(accountId)
    expect(ses.calls.map(({ operation }) => operation)).toEqual(['GetCallerIdentity'])
    await expect(accountIdOf({ ...keys, secretAccessKey: 'wrong' }, region)).rejects.toMatchObject({
      name: expect.stringMatching(/Signature/),
    })
  })
})

describe('a topic’s name', () => {
  it('contains its project and account', () => {
    expect(ownTopicOfArn(topicArn)).toEqual({ projectId, accountId, region })
  })

  it.each([
    topicArn.replace('posthorn-own', 'posthorn'),
    `arn:aws:sns:${region}:${accountId}:posthorn-own-`,
    `arn:aws:sqs:${region}:${accountId}:${name}`,
    `arn:aws:sns:${region}:12:${name}`,
    `${topicArn}:more`,
    `${topicArn}\n`,
  ])('is rejected if it has another form: %j', (arn) => {
    expect(ownTopicOfArn(arn)).toBeUndefined()
  })
})
