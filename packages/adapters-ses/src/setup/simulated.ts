import { randomUUID } from 'node:crypto'
import { SendEmailCommand } from '@aws-sdk/client-sesv2'
import { SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns'
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs'
import { queuePolicy } from './policies.js'
import type { SetupClients, SetupPlan } from './setup-steps.js'

/** SES's mailbox simulator: addresses and the event that each causes (Developer Guide, "Mailbox simulator"). */
export const simulatorAddresses = [
  { address: 'success@simulator.amazonses.com', event: 'Send' },
  { address: 'bounce@simulator.amazonses.com', event: 'Bounce' },
  { address: 'complaint@simulator.amazonses.com', event: 'Complaint' },
] as const

const mime = (from: string, to: string) =>
  [
    `From: ${from}`,
    `To: ${to}`,
    'Subject: Posthorn is set up',
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${randomUUID()}@posthorn.invalid>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'This mail was sent to the mailbox simulator of Amazon SES.',
    '',
  ].join('\r\n')

type SnsEvent = { readonly eventType?: string; readonly mail?: { readonly messageId?: string } }

const eventIn = (body: string): SnsEvent => {
  const { Message = body } = JSON.parse(body) as { readonly Message?: string }
  return JSON.parse(Message) as SnsEvent
}

/** Uses a temporary queue; returns the events that arrived in time. */
export const receiveSimulatorEvents = async (
  { ses, sns, sqs }: SetupClients,
  { region, accountId, topicArn, configurationSet }: SetupPlan,
  from: string,
  { patience, seen: noticed }: { readonly patience: number; readonly seen: (event: string) => void },
): Promise<readonly string[]> => {
  const QueueName = `posthorn-setup-${randomUUID()}`
  const queueArn = `arn:${topicArn.split(':')[1]}:sqs:${region}:${accountId}:${QueueName}`
  const Attributes = { Policy: JSON.stringify(queuePolicy(queueArn, topicArn)), MessageRetentionPeriod: '3600' }
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))
  const asked = { TopicArn: topicArn, Protocol: 'sqs', Endpoint: queueArn, ReturnSubscriptionArn: true }
  const { SubscriptionArn } = await sns.send(new SubscribeCommand(asked))
  try {
    const sent = new Map<string, string>()
    for (const { address, event } of simulatorAddresses) {
      const { MessageId = '' } = await ses.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [address] },
          Content: { Raw: { Data: Buffer.from(mime(from, address)) } },
          ConfigurationSetName: configurationSet,
        }),
      )
      sent.set(`${event} ${MessageId}`, event)
    }
    const seen: string[] = []
    const until = Date.now() + patience
    while (sent.size > 0 && Date.now() < until) {
      const WaitTimeSeconds = Math.max(0, Math.min(10, Math.floor((until - Date.now()) / 1_000)))
      const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 })
      const { Messages = [] } = await sqs.send(receive)
      for (const { Body = '{}' } of Messages) {
        const { eventType = '', mail } = eventIn(Body)
        const event = sent.get(`${eventType} ${mail?.messageId}`)
        if (event === undefined) continue
        sent.delete(`${eventType} ${mail?.messageId}`)
        seen.push(event)
        noticed(event)
      }
      const Entries = Messages.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }))
      if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
    }
    return seen
  } finally {
    await sns.send(new UnsubscribeCommand({ SubscriptionArn }))
    await sqs.send(new DeleteQueueCommand({ QueueUrl }))
  }
}
