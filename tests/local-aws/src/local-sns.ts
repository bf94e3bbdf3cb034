import { createHash } from 'node:crypto'
import { request } from 'node:http'
import type { SnsMessage, SnsSigner } from './sns-message.js'
import { snsMessage } from './sns-message.js'

type Subscription = {
  readonly url: string
  confirmed: boolean
  /** For a queue: stores a message; queues need no confirmation. */
  readonly put?: (message: string) => void
  readonly isRaw?: boolean
}

/** A post to a subscriber and its response status; 0 means no response. */
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

/** The last part of a subscription's ARN in this implementation. */
export const subscriptionId = (endpoint: string): string => createHash('md5').update(endpoint).digest('hex')

/** In total a minute of retries; SNS itself retries for an hour. */
const mostTries = 240
const triedAgainAfter = 250

/** SNS Developer Guide, "Message delivery retries": a message that a subscriber rejects is not retried. */
const mayComeAgain = (status: number) => status === 0 || status === 429 || status >= 500

/** Topics with HTTP subscribers and queues. HTTP subscribers receive messages after they confirm; failed posts are retried. */
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
    /** Posts the confirmation request to the subscriber; resolves after its response. */
    subscribe: (topicArn: string, url: string): Promise<void> => {
      const message = snsMessage(signer, 'SubscriptionConfirmation', topicArn, 'You have chosen to subscribe.')
      const subscribers = topics.get(topicArn) ?? new Map<string, Subscription>()
      topics.set(topicArn, subscribers.set(message.Token ?? '', { url, confirmed: false }))
      return tracked(deliver(url, message))
    },
    /** Subscribes a queue to all messages, in SNS's envelope or, if raw, as published. */
    subscribeQueue: (topicArn: string, arn: string, put: (message: string) => void, isRaw = false): void => {
      const subscribers = topics.get(topicArn) ?? new Map<string, Subscription>()
      topics.set(topicArn, subscribers.set(arn, { url: arn, confirmed: true, put, isRaw }))
    },
    /** Removes a subscription by its ARN. */
    unsubscribe: (arn: string): void => {
      const cut = arn.lastIndexOf(':')
      const subscribers = topics.get(arn.slice(0, cut))
      for (const [key, { url }] of subscribers ?? [])
        if (subscriptionId(url) === arn.slice(cut + 1)) subscribers?.delete(key)
    },
    /** All subscriptions of a topic, confirmed or not. */
    subscriptions: (topicArn: string) =>
      [...(topics.get(topicArn)?.values() ?? [])].map(({ url: endpoint, confirmed, put }) => ({
        endpoint,
        protocol: put ? 'sqs' : (endpoint.split(':')[0] ?? ''),
        confirmed,
      })),
    /** Confirms the subscription with that token; false if there is none. */
    confirm: (topicArn: string, token: string): boolean => {
      const found = topics.get(topicArn)?.get(token)
      if (found) found.confirmed = true
      return found !== undefined
    },
    /** The confirmed subscribers of a topic. */
    confirmed: (topicArn: string): readonly string[] =>
      [...(topics.get(topicArn)?.values() ?? [])].filter((one) => one.confirmed).map(({ url }) => url),
    /** Posts the message to all confirmed subscribers. */
    publish: (topicArn: string, message: string): void => {
      for (const { url, confirmed, put, isRaw } of topics.get(topicArn)?.values() ?? []) {
        if (put) put(isRaw ? message : JSON.stringify(snsMessage(signer, 'Notification', topicArn, message)))
        else if (confirmed) void tracked(deliver(url, snsMessage(signer, 'Notification', topicArn, message)))
      }
    },
    /** Every post, in order. */
    posts: posts as readonly SnsPost[],
    /** Resolves when no post is in progress. */
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
