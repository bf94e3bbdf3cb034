import { createHash, randomUUID } from 'node:crypto'
import type { AwsAccount } from './aws-account.js'
import { SesError } from './ses-error.js'

type Stored = { readonly id: string; readonly body: string; visibleAt: number; receipt: string }
type Fields = Readonly<Record<string, unknown>>

const longestWait = 20
const mostAtOnce = 10
const looksEvery = 20

/** A queue whose messages come again unless they are deleted in time. */
export const localQueue = (name: string, arn: string, url: string, now: () => number) => {
  const messages = new Map<string, Stored>()
  const attributes = new Map<string, string>([['VisibilityTimeout', '30']])

  const visible = () => [...messages.values()].filter(({ visibleAt }) => visibleAt <= now())
  const taken = (most: number, seconds: number) =>
    visible()
      .slice(0, most)
      .map((message) => {
        message.visibleAt = now() + seconds * 1_000
        message.receipt = randomUUID()
        const { id, body, receipt } = message
        const MD5OfBody = createHash('md5').update(body).digest('hex')
        return { MessageId: id, ReceiptHandle: receipt, Body: body, MD5OfBody }
      })

  return {
    name,
    arn,
    url,
    attributes,
    put: (body: string): void => {
      const id = randomUUID()
      messages.set(id, { id, body, visibleAt: now(), receipt: '' })
    },
    /** Those that are not deleted, whoever has them. */
    bodies: (): readonly string[] => [...messages.values()].map(({ body }) => body),
    receive: async ({ MaxNumberOfMessages, WaitTimeSeconds, VisibilityTimeout }: Fields, isOver: () => boolean) => {
      const most = Math.min(mostAtOnce, Number(MaxNumberOfMessages ?? 1))
      const until = Date.now() + Math.min(longestWait, Number(WaitTimeSeconds ?? 0)) * 1_000
      while (visible().length === 0 && Date.now() < until && !isOver())
        await new Promise((resolve) => setTimeout(resolve, looksEvery))
      return isOver() ? [] : taken(most, Number(VisibilityTimeout ?? attributes.get('VisibilityTimeout')))
    },
    remove: (receipt: string): void => {
      for (const [id, message] of messages) if (message.receipt === receipt) messages.delete(id)
    },
  }
}
export type LocalQueue = ReturnType<typeof localQueue>

type Call = {
  readonly account: AwsAccount
  readonly region: string
  readonly base: string
  readonly now: () => number
  readonly body: Fields
  /** Whether nobody waits for the answer any more. */
  readonly isOver: () => boolean
}

const stored = ({ account, body: { QueueUrl } }: Call): LocalQueue => {
  const found = [...account.queues.values()].find(({ url }) => url === QueueUrl)
  if (!found) throw new SesError('QueueDoesNotExist', 'The specified queue does not exist.')
  return found
}

const setAttributes = (queue: LocalQueue, given: unknown) => {
  for (const [name, value] of Object.entries((given ?? {}) as Readonly<Record<string, string>>))
    queue.attributes.set(name, value)
}

/** Amazon SQS, as far as events need it (API reference, AWS JSON protocol). */
export const queueOperations: Readonly<Record<string, (call: Call) => object | Promise<object>>> = {
  CreateQueue: ({ account, region, base, now, body: { QueueName, Attributes } }) => {
    const name = String(QueueName)
    const known = account.queues.get(`${region} ${name}`)
    const url = `${base}/${account.id}/${name}`
    const queue = known ?? localQueue(name, `arn:aws:sqs:${region}:${account.id}:${name}`, url, now)
    if (!known) setAttributes(queue, Attributes)
    account.queues.set(`${region} ${name}`, queue)
    return { QueueUrl: url }
  },
  GetQueueUrl: ({ account, region, body: { QueueName } }) => {
    const found = account.queues.get(`${region} ${String(QueueName)}`)
    if (!found) throw new SesError('QueueDoesNotExist', 'The specified queue does not exist.')
    return { QueueUrl: found.url }
  },
  GetQueueAttributes: (call) => {
    const { attributes, arn } = stored(call)
    return { Attributes: { QueueArn: arn, ...Object.fromEntries(attributes) } }
  },
  SetQueueAttributes: (call) => {
    setAttributes(stored(call), call.body.Attributes)
    return {}
  },
  ReceiveMessage: async (call) => {
    const Messages = await stored(call).receive(call.body, call.isOver)
    return Messages.length > 0 ? { Messages } : {}
  },
  DeleteMessageBatch: (call) => {
    const queue = stored(call)
    const entries = (call.body.Entries ?? []) as readonly { readonly Id: string; readonly ReceiptHandle: string }[]
    for (const { ReceiptHandle } of entries) queue.remove(ReceiptHandle)
    return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] }
  },
}
