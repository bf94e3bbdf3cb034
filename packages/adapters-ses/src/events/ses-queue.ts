import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { Refusal } from '@posthorn/core'
import type { AwsOptions } from '../http/sdk-client.js'
import { type HttpConnectionPoolLimits, sdkRequestHandler, standardConnectionPoolLimits } from '../http/sdk-client.js'
import { sesErrorText } from '../mailer/outcome.js'
import { type EventHandlerOptions, sesEventHandler } from './event-handler.js'
import { SnsMessage, validatedJson } from './sns-message.js'

export type SesQueueOptions = EventHandlerOptions & {
  readonly queueUrl: string
  readonly region: string
  /** Messages of other topics are deleted without effect. */
  readonly topicArns: readonly string[]
  /** Replaces the SDK's `AWS_ENDPOINT_URL_SQS`. */
  readonly aws?: AwsOptions
  readonly limits?: Partial<HttpConnectionPoolLimits>
}

/** SQS's limits: messages per batch, seconds per long poll. */
const mostAtOnce = 10
const longestWait = 20
const batches = 4
/** Delays after a failure, in ms: the first doubles up to the second. */
const [firstPause, longestPause] = [500, 30_000] as const

type Landed = 'landed' | 'again'

/**
 * Subscribed to the SES topic, raw or in SNS envelopes. SQS repeats a message until its effect is stored. The queue's policy decides who
 * may write to it.
 */
export const sesQueue = ({ queueUrl, region, topicArns, aws, limits, log, ...options }: SesQueueOptions) => {
  const handle = sesEventHandler({ ...options, log })
  const client = new SQSClient({
    ...aws,
    region,
    maxAttempts: 1,
    requestHandler: sdkRequestHandler({ ...standardConnectionPoolLimits, connections: 2 * batches, ...limits }),
  })
  const ending = new AbortController()
  const loops: Promise<void>[] = []

  const eventOf = ({ MessageId = '', Body = '' }: Message): readonly [id: string, text: string] | undefined => {
    // Raw. Unreadable events are kept for the operator.
    if (!Body.includes('"TopicArn"')) return [MessageId, Body]
    const message = validatedJson(
      Body,
      SnsMessage.pick({ Type: true, MessageId: true, TopicArn: true, Message: true }),
      'The body',
    )
    return message.Type === 'Notification' && topicArns.includes(message.TopicArn)
      ? [message.MessageId, message.Message]
      : undefined
  }

  const landed = async (message: Message): Promise<Landed> => {
    try {
      const event = eventOf(message)
      if (event) await handle(...event)
      else log('warn', 'The event queue has a message of another topic', { messageId: message.MessageId })
      return 'landed'
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') {
        if (!(error instanceof Refusal)) log('error', 'A mail event could not be recorded', { error })
        return 'again'
      }
      log('warn', 'The event queue has an invalid message', { messageId: message.MessageId, reason: error.message })
      return 'landed'
    }
  }

  const deleted = async (messages: readonly Message[]): Promise<void> => {
    if (messages.length === 0) return
    const Entries = messages.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }))
    const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
    if (Failed.length > 0)
      log('warn', 'Events could not be deleted from the queue; SQS will repeat them', { messages: Failed.length })
  }

  const batch = async (): Promise<void> => {
    const asked = { QueueUrl: queueUrl, MaxNumberOfMessages: mostAtOnce, WaitTimeSeconds: longestWait }
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked), { abortSignal: ending.signal })
    const outcomes = await Promise.all(Messages.map(landed))
    await deleted(Messages.filter((_, n) => outcomes[n] === 'landed'))
  }

  const pause = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      ending.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })

  const loop = async (): Promise<void> => {
    for (let failures = 0; !ending.signal.aborted; ) {
      try {
        await batch()
        failures = 0
      } catch (error) {
        if (ending.signal.aborted) return
        failures += 1
        if (failures === 1) log('error', 'The event queue cannot be read', { reason: sesErrorText(error) })
        await pause(Math.min(longestPause, firstPause * 2 ** (failures - 1)))
      }
    }
  }

  return {
    start: (): void => {
      if (loops.length === 0) loops.push(...Array.from({ length: batches }, loop))
    },
    close: async (): Promise<void> => {
      ending.abort()
      await Promise.all(loops)
      client.destroy()
    },
  }
}
export type SesQueue = ReturnType<typeof sesQueue>
