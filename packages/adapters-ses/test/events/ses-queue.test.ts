import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { DeliveryEvent, ProviderAcceptedMail } from '@posthorn/core'
import { notFound, unavailable } from '@posthorn/core/ports/runtime'
import type { ProviderDroppedMailReport } from '@posthorn/core/ports/transport'
import { mailEvent, type SentMail } from '@posthorn/local-aws'
import { describe, expect, it } from 'vitest'
import { deliveryTags } from '../../src/http/send-request.js'
import { sesQueue } from '../../src/index.js'
import { atEnd, awsOf, region, started, topicArn } from '../world.js'

const deliveryId = `${'d'.repeat(24)}:ada@example.org`
const sent: SentMail = {
  messageId: 'ses-1',
  region,
  from: 'news@shop.example',
  to: ['ada@example.org'],
  mime: 'Subject: Hello\r\n\r\nHi',
  tags: Object.fromEntries(
    deliveryTags({ deliveryId, projectId: 'a'.repeat(24) }).map(({ Name, Value }) => [Name, Value]),
  ),
  configurationSet: 'one',
  tenant: undefined,
}
const event = (type: string, detail: object = {}) => mailEvent(sent, type, { ...detail }, Date.now())

const until = async (isSo: () => boolean) => {
  await expect.poll(isSo).toBe(true)
}

/** A queue that is subscribed to the topic, and whoever takes events from it. */
const aQueue = async ({ visibility = '30', raw = false, now = Date.now } = {}) => {
  const ses = await started({ now })
  const { endpoint, credentials } = awsOf(ses).aws ?? {}
  const aws = { ...(endpoint && { endpoint }), ...(credentials && { credentials }) }
  const client = new SQSClient({ ...aws, region })
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: 'events', Attributes: { VisibilityTimeout: visibility } }),
  )
  client.destroy()
  const [queue] = ses.own.queues.values()
  if (!queue) throw new Error('There is no queue')
  ses.sns.subscribeQueue(topicArn, queue.arn, queue.put, raw)
  const [recorded, taken, rejected, logged]: [
    DeliveryEvent[],
    ProviderAcceptedMail[],
    ProviderDroppedMailReport[],
    string[],
  ] = [[], [], [], []]
  const unread: { readonly text: string }[] = []
  const known = new Set<string>()
  let trouble: Error | undefined
  const note =
    <T>(list: T[]) =>
    async (one: T) => {
      if (trouble) throw trouble
      list.push(one)
    }
  const made = () =>
    sesQueue({
      queueUrl: QueueUrl,
      region,
      aws,
      topicArns: [topicArn],
      deliveryEvents: { record: note(recorded), sent: note(taken), rejected: note(rejected) },
      keepUnread: note(unread),
      isNew: async (id) => !known.has(id) && known.add(id).has(id),
      forget: async (id) => void known.delete(id),
      log: (level, message) => void logged.push(`${level}: ${message}`),
    })
  const taking = made()
  atEnd(taking.close)
  taking.start()
  return {
    ses,
    queue,
    recorded,
    taken,
    rejected,
    unread,
    logged,
    taking,
    publish: (text: string, topic = topicArn) => ses.sns.publish(topic, text),
    failWith: (error: Error | undefined) => {
      trouble = error
    },
  }
}

describe('an event queue', () => {
  it.each([false, true])('is processed and emptied (raw: %s)', async (raw) => {
    const { publish, queue, recorded, taken, rejected } = await aQueue({ raw })
    publish(event('Send'))
    publish(event('Bounce', { bounceType: 'Permanent' }))
    publish(event('Reject', { reason: 'Bad content' }))
    publish(event('DeliveryDelay'))
    await until(() => queue.bodies().length === 0)
    expect(taken).toEqual([{ deliveryId, providerMessageId: 'ses-1' }])
    expect(recorded).toEqual([
      { deliveryId, type: 'bounce', transient: false, name: expect.any(String), reason: expect.anything() },
    ])
    expect(rejected).toEqual([{ deliveryId, error: { name: 'Reject', message: 'Bad content' } }])
  })

  it('is processed in batches, each event once', async () => {
    const { publish, queue, recorded } = await aQueue()
    for (let n = 0; n < 100; n += 1) publish(event('Open', { link: String(n) }))
    await until(() => queue.bodies().length === 0)
    expect(new Set(recorded.map(({ seen }) => seen?.link)).size).toBe(100)
    expect(recorded).toHaveLength(100)
  })

  it('redelivers events that could not be stored, until they are', async () => {
    const { publish, queue, taken, failWith, ses } = await aQueue({ visibility: '0' })
    failWith(unavailable('The mail is being sent.'))
    publish(event('Send'))
    await until(() => ses.calls.filter(({ operation }) => operation === 'ReceiveMessage').length > 5)
    expect(queue.bodies()).toHaveLength(1)
    failWith(undefined)
    await until(() => queue.bodies().length === 0)
    expect(taken).toHaveLength(1)
  })

  it('processes a repeated event once', async () => {
    const { queue, recorded, ses } = await aQueue()
    const message = JSON.stringify(ses.message('Notification', topicArn, event('Open')))
    for (let n = 0; n < 3; n += 1) queue.put(message)
    await until(() => queue.bodies().length === 0)
    expect(recorded).toHaveLength(1)
  })

  it('stores unreadable messages for the operator, and drops other topics and unknown mails', async () => {
    const { publish, queue, recorded, unread, ses, failWith, logged } = await aQueue()
    const bodies = ['', 'x', '{}', '[]', 'null', '{"eventType":"Bounce"}', '{"Type":"Notification"}']
    for (const body of bodies) queue.put(body)
    await until(() => queue.bodies().length === 0)
    expect(new Set(unread.map(({ text }) => text))).toEqual(new Set(bodies))
    queue.put(JSON.stringify(ses.message('Notification', topicArn.replace('posthorn', 'other'), event('Open'))))
    queue.put(JSON.stringify(ses.message('SubscriptionConfirmation', topicArn, 'x')))
    failWith(notFound('Mail'))
    publish(event('Open'))
    await until(() => queue.bodies().length === 0)
    expect(recorded).toEqual([])
    expect(logged.filter((line) => line.startsWith('warn'))).toHaveLength(2)
  })

  it('is polled again after SQS fails, with one log line', async () => {
    const { ses, publish, taken, logged } = await aQueue()
    await until(() => ses.calls.length >= 4)
    ses.failWith(() => 'break-before')
    publish(event('Open'))
    await until(() => logged.length > 0)
    publish(event('Send'))
    ses.failWith(() => undefined)
    await until(() => taken.length === 1)
    expect(new Set(logged)).toEqual(new Set(['error: The event queue cannot be read']))
  })

  it('is left when the server stops: no request stays open, and nothing is taken', async () => {
    // A request for messages is answered after twenty seconds, where none comes: never, by this clock.
    const stopped = Date.now()
    const { ses, publish, queue, taking } = await aQueue({ now: () => stopped })
    await until(() => ses.calls.length >= 4)
    await taking.close()
    publish(event('Send'))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(queue.bodies()).toHaveLength(1)
  })
})
