import type { DeliveryEvent, ProviderAcceptedMail } from '@posthorn/core'
import { ownCloudEventsName, type ProviderDroppedMailReport } from '@posthorn/core/ports/transport'
import { mailEvent, type SentMail } from '@posthorn/local-aws'
import { localReceiver } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { deliveryTags } from '../../src/http/send-request.js'
import { type OwnTopics, sesEvents } from '../../src/index.js'
import { region, started, topicArn } from '../world.js'

const projectId = 'a'.repeat(24)
const deliveryId = `${'d'.repeat(24)}:ada@example.org`
const accountId = '210000000001'
const ownArn = `arn:aws:sns:${region}:${accountId}:${ownCloudEventsName(projectId)}`
const channel = { account: 'project', projectId, region }
const forbidden = { kind: 'forbidden' }

const event = (type: string, detail: object = {}) => {
  const mail: SentMail = {
    ...{
      messageId: 'ses-1',
      accountId,
      region,
      from: 'news@own.example',
      to: ['ada@example.org'],
      mime: 'S: x\r\n\r\n',
    },
    tags: Object.fromEntries(deliveryTags({ deliveryId, projectId }).map(({ Name, Value }) => [Name, Value])),
    configurationSet: ownCloudEventsName(projectId),
    tenant: undefined,
  }
  return mailEvent(mail, type, { ...detail }, Date.now())
}
const bounce = event('Bounce', { bounceType: 'Permanent' })

const listening = async (changes: Partial<OwnTopics> | 'none' = {}) => {
  const ses = await started()
  const told: (DeliveryEvent | ProviderAcceptedMail | ProviderDroppedMailReport)[] = []
  const [fetched, asked]: [string[], string[]] = [[], []]
  const unread: object[] = []
  const keep = async (one: DeliveryEvent | ProviderAcceptedMail | ProviderDroppedMailReport) => void told.push(one)
  const { receive } = sesEvents({
    topicArns: [topicArn],
    ownTopics:
      changes === 'none'
        ? undefined
        : {
            isExpected: async (id) => id === projectId,
            accountOf: async (id, where) => {
              asked.push(`${id} ${where}`)
              return accountId
            },
            ...changes,
          },
    deliveryEvents: { record: keep, sent: keep, rejected: keep },
    keepUnread: async (one) => void unread.push(one),
    isNew: async () => true,
    forget: async () => {},
    fetchBytes: async (url) => {
      fetched.push(url)
      const response = await fetch(url)
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      return new Uint8Array(await response.arrayBuffer())
    },
    log: () => {},
    endpoint: ses.url,
  })
  const post = (message: object) => receive(Buffer.from(JSON.stringify(message)))
  return {
    ses,
    told,
    unread,
    fetched,
    asked,
    post,
    tell: (text: string, arn = ownArn) => post(ses.message('Notification', arn, text)),
    /** Answers what came of the confirmation that SNS asked for. */
    subscribe: async (arn = ownArn) => {
      let posted: Promise<void> | undefined
      const receiver = await localReceiver((_request, response) => {
        posted = post(JSON.parse(receiver.received.at(-1)?.body ?? '') as object)
        posted.catch(() => undefined)
        response.end()
      })
      await ses.sns.subscribe(arn, receiver.url)
      await receiver.close()
      await posted
    },
  }
}
describe('a topic in a project’s own account', () => {
  it('reports mails of that account and region only', async () => {
    const { tell, told } = await listening()
    await tell(event('Send'))
    await tell(bounce)
    await tell(event('Complaint', { complaintFeedbackType: 'abuse' }))
    await tell(event('Reject', { reason: 'Bad content' }))
    await tell(event('Delivery'))
    expect(told).toEqual([
      { deliveryId, providerMessageId: 'ses-1', channel },
      { deliveryId, type: 'bounce', transient: false, reason: expect.anything(), channel, name: expect.any(String) },
      { deliveryId, type: 'complaint', channel, name: expect.any(String) },
      { deliveryId, error: { name: 'Reject', message: 'Bad content' }, channel },
    ])
  })

  it('has its unreadable events stored separately', async () => {
    const { tell, unread } = await listening()
    await tell('{}')
    expect(unread).toEqual([{ source: `ses:${projectId}`, reason: expect.any(String), text: '{}' }])
  })

  it.each([
    ['another account', ownArn.replace(accountId, '666666666666')],
    ['another name', ownArn.replace('posthorn-own-', 'posthorn-')],
    ['a project that has no account', ownArn.replace(projectId, 'b'.repeat(24))],
  ])('is refused if it is of %s, even if Amazon signed it', async (_what, arn) => {
    const { tell, told } = await listening()
    await expect(tell(bounce, arn)).rejects.toMatchObject(forbidden)
    expect(told).toEqual([])
  })

  it('is refused by a server without own accounts', async () => {
    const { tell } = await listening('none')
    await expect(tell(bounce)).rejects.toMatchObject(forbidden)
  })

  it('costs only a project lookup if it is not expected', async () => {
    const { tell, fetched, asked } = await listening({ isExpected: async () => false })
    await expect(tell(bounce)).rejects.toMatchObject(forbidden)
    expect([fetched, asked]).toEqual([[], []])
  })

  it('does not cause an account lookup without a signature', async () => {
    const { ses, post, asked, told } = await listening()
    await expect(post({ ...ses.message('Notification', ownArn, '{}'), Message: bounce })).rejects.toMatchObject(
      forbidden,
    )
    expect([asked, told]).toEqual([[], []])
  })

  it('is retried while AWS does not name the credentials’ account', async () => {
    const { tell, told } = await listening({ accountOf: () => Promise.reject(new Error('no answer')) })
    await expect(tell(bounce)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(told).toEqual([])
  })

  it('is confirmed before the project has its account, and ignored until then', async () => {
    const { ses, tell, subscribe, told } = await listening({ accountOf: async () => undefined })
    await subscribe()
    expect(ses.sns.confirmed(ownArn)).toHaveLength(1)
    await expect(tell(bounce)).rejects.toMatchObject(forbidden)
    expect(told).toEqual([])
  })

  it('is not confirmed if it is not expected', async () => {
    const { ses, subscribe } = await listening()
    const foreign = ownArn.replace(projectId, 'b'.repeat(24))
    await expect(subscribe(foreign)).rejects.toMatchObject(forbidden)
    expect(ses.sns.confirmed(foreign)).toEqual([])
  })

  it('does not affect the server’s own topic, which may report every mail', async () => {
    const { tell, told, asked } = await listening()
    await tell(bounce, topicArn)
    expect(told).toEqual([
      { deliveryId, type: 'bounce', transient: false, reason: expect.anything(), name: expect.any(String) },
    ])
    expect(asked).toEqual([])
  })
})
