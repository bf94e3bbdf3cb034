import { createHash } from 'node:crypto'
import { request } from 'node:http'
import type { SnsMessage, SnsSigner } from './sns-message.js'
import { snsMessage } from './sns-message.js'

type Subscription = {
  readonly url: string
  confirmed: boolean
  /** Of a queue: takes a message, which nobody has to confirm. */
  readonly put?: (message: string) => void
  readonly isRaw?: boolean
}

/** What was posted to a subscriber, and how it was answered; 0: not at all. */
export type SnsPost = { readonly url: string; readonly message: SnsMessage; readonly status: number }

const post = (url: string, message: SnsMessage): Promise<number> =>
  new Promise((resolve) => {
    const body = JSON.stringify(message, null, 2)
    const headers = {
      'content-type': 'text/plain; charset=UTF-8',
      'content-length': Buffer.byteLength(body),
      'x-amz-sns-message-type': message.Type,
      'x-amz-sns-message-id': message.MessageId,
      'x-amz-sns-topic-arn': message.TopicArn,
      'user-agent': 'Amazon Simple Notification Service Agent',
    }
    request(url, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
      .once('error', () => resolve(0))
      .end(body)
  })

/** What the ARN of a subscription ends with, here. */
export const subscriptionId = (endpoint: string): string => createHash('md5').update(endpoint).digest('hex')

/** A minute; SNS itself goes on for an hour. */
const mostTries = 240
const triedAgainAfter = 250

/** SNS Developer Guide, "Message delivery retries": what a subscriber refuses is not brought again. */
const mayComeAgain = (status: number) => status === 0 || status === 429 || status >= 500

/**
 * Topics with subscribers over HTTP, each of which has to confirm before it gets anything, and is tried again while it does not take it;
 * and with queues.
 */
export const localSns = (signer: SnsSigner) => {
  const topics = new Map<string, Map<string, Subscription>>()
  const posts: SnsPost[] = []
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  const deliver = async (url: string, message: SnsMessage): Promise<void> => {
    for (let tries = 0; tries < mostTries && !closed; tries += 1) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, triedAgainAfter))
      const status = await post(url, message)
      posts.push({ url, message, status })
      if (!mayComeAgain(status)) return
    }
  }
  const tracked = (work: Promise<void>): Promise<void> => {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }

  return {
    /** Asks the subscriber whether it means it; resolves when that was posted and answered. */
    subscribe: (topicArn: string, url: string): Promise<void> => {
      const message = snsMessage(signer, 'SubscriptionConfirmation', topicArn, 'You have chosen to subscribe.')
      const subscribers = topics.get(topicArn) ?? new Map<string, Subscription>()
      topics.set(topicArn, subscribers.set(message.Token ?? '', { url, confirmed: false }))
      return tracked(deliver(url, message))
    },
    /** A queue that gets all messages: as SNS posts them or, raw, what was published. */
    subscribeQueue: (topicArn: string, arn: string, put: (message: string) => void, isRaw = false): void => {
      const subscribers = topics.get(topicArn) ?? new Map<string, Subscription>()
      topics.set(topicArn, subscribers.set(arn, { url: arn, confirmed: true, put, isRaw }))
    },
    /** By the ARN of a subscription: it gets nothing any more. */
    unsubscribe: (arn: string): void => {
      const cut = arn.lastIndexOf(':')
      const subscribers = topics.get(arn.slice(0, cut))
      for (const [key, { url }] of subscribers ?? [])
        if (subscriptionId(url) === arn.slice(cut + 1)) subscribers?.delete(key)
    },
    /** All of a topic, whether they have confirmed or not. */
    subscriptions: (topicArn: string) =>
      [...(topics.get(topicArn)?.values() ?? [])].map(({ url: endpoint, confirmed, put }) => ({
        endpoint,
        protocol: put ? 'sqs' : (endpoint.split(':')[0] ?? ''),
        confirmed,
      })),
    /** Whether there was somebody to confirm with that token. */
    confirm: (topicArn: string, token: string): boolean => {
      const found = topics.get(topicArn)?.get(token)
      if (found) found.confirmed = true
      return found !== undefined
    },
    /** Of the subscribers of a topic, those who have confirmed. */
    confirmed: (topicArn: string): readonly string[] =>
      [...(topics.get(topicArn)?.values() ?? [])].filter((one) => one.confirmed).map(({ url }) => url),
    /** Posts it to all who have confirmed. */
    publish: (topicArn: string, message: string): void => {
      for (const { url, confirmed, put, isRaw } of topics.get(topicArn)?.values() ?? []) {
        if (put) put(isRaw ? message : JSON.stringify(snsMessage(signer, 'Notification', topicArn, message)))
        else if (confirmed) void tracked(deliver(url, snsMessage(signer, 'Notification', topicArn, message)))
      }
    },
    /** Every post, in order. */
    posts: posts as readonly SnsPost[],
    /** Resolves when nothing is being posted any more. */
    settled: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    close: async (): Promise<void> => {
      closed = true
      await Promise.all(underWay)
    },
  }
}
export type LocalSns = ReturnType<typeof localSns>
