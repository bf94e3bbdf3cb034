import type { AwsAccount } from './aws-account.js'
import type { LocalQueue } from './local-queue.js'
import { SesError } from './ses-error.js'

type Fields = Readonly<Record<string, unknown>>

type Call = {
  readonly account: AwsAccount
  readonly region: string
  readonly base: string
  readonly body: Fields
  /** Whether the client no longer waits for the response. */
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

/** The parts of Amazon SQS that events need (API reference, AWS JSON protocol). */
export const queueOperations: Readonly<Record<string, (call: Call) => object | Promise<object>>> = {
  CreateQueue: ({ account, region, base, body: { QueueName, Attributes } }) => {
    const name = String(QueueName)
    const isThere = account.queues.has(`${region} ${name}`)
    const queue = account.addQueue(region, name, base)
    if (!isThere) setAttributes(queue, Attributes)
    return { QueueUrl: queue.url }
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
  DeleteQueue: (call) => {
    const { account } = call
    const { arn } = stored(call)
    for (const [key, queue] of account.queues) if (queue.arn === arn) account.queues.delete(key)
    return {}
  },
  DeleteMessageBatch: (call) => {
    const queue = stored(call)
    const entries = (call.body.Entries ?? []) as readonly { readonly Id: string; readonly ReceiptHandle: string }[]
    for (const { ReceiptHandle } of entries) queue.remove(ReceiptHandle)
    return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] }
  },
}
