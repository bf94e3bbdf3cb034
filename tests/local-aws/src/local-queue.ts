import { createHash, randomUUID } from 'node:crypto'

type Stored = { readonly id: string; readonly body: string; visibleAt: number; receipt: string }
type Fields = Readonly<Record<string, unknown>>

const longestWait = 20
const mostAtOnce = 10
const looksEvery = 20

/** A queue that delivers messages again unless they are deleted in time. */
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
    /** All messages that are not deleted, including those in flight. */
    bodies: (): readonly string[] => [...messages.values()].map(({ body }) => body),
    receive: async ({ MaxNumberOfMessages, WaitTimeSeconds, VisibilityTimeout }: Fields, isOver: () => boolean) => {
      const most = Math.min(mostAtOnce, Number(MaxNumberOfMessages ?? 1))
      const until = now() + Math.min(longestWait, Number(WaitTimeSeconds ?? 0)) * 1_000
      while (visible().length === 0 && now() < until && !isOver())
        await new Promise((resolve) => setTimeout(resolve, looksEvery))
      return isOver() ? [] : taken(most, Number(VisibilityTimeout ?? attributes.get('VisibilityTimeout')))
    },
    remove: (receipt: string): void => {
      for (const [id, message] of messages) if (message.receipt === receipt) messages.delete(id)
    },
  }
}
export type LocalQueue = ReturnType<typeof localQueue>
