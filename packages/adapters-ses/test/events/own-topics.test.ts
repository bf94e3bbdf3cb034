import type { AcceptedMail, DeliveryEvent } from '@posthorn/core'
import { type DroppedMail, ownEventsName } from '@posthorn/core/ports/transport'
import { mailEvent, type SentMail } from '@posthorn/local-aws'
import { localReceiver } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { tagsOf } from '../../src/http/send-request.js'
import { type OwnTopics, sesEvents } from '../../src/index.js'
import { region, started, topicArn } from '../world.js'

const projectId = 'a'.repeat(24)
const deliveryId = `${'d'.repeat(24)}:ada@example.org`
const accountId = '210000000001'
const ownArn = `arn:aws:sns:${region}:${accountId}:${ownEventsName(projectId)}`
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
    tags: Object.fromEntries(tagsOf({ deliveryId, projectId }).map(({ Name, Value }) => [Name, Value])),
    configurationSet: ownEventsName(projectId),
    tenant: undefined,
  }
  return mailEvent(mail, type, { ...detail }, Date.now())
}
const bounce = event('Bounce', { bounceType: 'Permanent' })

const listening = async (changes: Partial<OwnTopics> | 'none' = {}) => {
  const ses = await started()
  const told: (DeliveryEvent | AcceptedMail | DroppedMail)[] = []
  const [fetched, asked]: [string[], string[]] = [[], []]
  const unread: object[] = []
  const keep = async (one: DeliveryEvent | AcceptedMail | DroppedMail) => void told.push(one)
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
  it('tells of the mails that left by that account in that region, and of no others', async () => {
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

  it('has what cannot be read kept apart from that of others', async () => {
    const { tell, unread } = await listening()
    await tell('{}')
    expect(unread).toEqual([{ source: `ses:${projectId}`, reason: expect.any(String), text: '{}' }])
  })

  it.each([
    ['another account', ownArn.replace(accountId, '666666666666')],
    ['another name', ownArn.replace('posthorn-own-', 'posthorn-')],
    ['a project that has no account', ownArn.replace(projectId, 'b'.repeat(24))],
  ])('is not listened to where it is of %s, though Amazon has signed it', async (_what, arn) => {
    const { tell, told } = await listening()
    await expect(tell(bounce, arn)).rejects.toMatchObject(forbidden)
    expect(told).toEqual([])
  })

  it('is not listened to by a server that has no own accounts', async () => {
    const { tell } = await listening('none')
    await expect(tell(bounce)).rejects.toMatchObject(forbidden)
  })

  it('costs nothing but a question for the project where nobody expects it', async () => {
    const { tell, fetched, asked } = await listening({ isExpected: async () => false })
    await expect(tell(bounce)).rejects.toMatchObject(forbidden)
    expect([fetched, asked]).toEqual([[], []])
  })

  it('has its account asked for by nobody who has not signed it', async () => {
    const { ses, post, asked, told } = await listening()
    await expect(post({ ...ses.message('Notification', ownArn, '{}'), Message: bounce })).rejects.toMatchObject(
      forbidden,
    )
    expect([asked, told]).toEqual([[], []])
  })

  it('comes again while AWS does not say whose the credentials are', async () => {
    const { tell, told } = await listening({ accountOf: () => Promise.reject(new Error('no answer')) })
    await expect(tell(bounce)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(told).toEqual([])
  })

  it('is confirmed before the project has named its account, and not listened to until then', async () => {
    const { ses, tell, subscribe, told } = await listening({ accountOf: async () => undefined })
    await subscribe()
    expect(ses.sns.confirmed(ownArn)).toHaveLength(1)
    await expect(tell(bounce)).rejects.toMatchObject(forbidden)
    expect(told).toEqual([])
  })

  it('is not confirmed where nobody expects it', async () => {
    const { ses, subscribe } = await listening()
    const foreign = ownArn.replace(projectId, 'b'.repeat(24))
    await expect(subscribe(foreign)).rejects.toMatchObject(forbidden)
    expect(ses.sns.confirmed(foreign)).toEqual([])
  })

  it('leaves the server’s own topic as it was: believed of every mail', async () => {
    const { tell, told, asked } = await listening()
    await tell(bounce, topicArn)
    expect(told).toEqual([
      { deliveryId, type: 'bounce', transient: false, reason: expect.anything(), name: expect.any(String) },
    ])
    expect(asked).toEqual([])
  })
})
