import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'
import type { Mail, Mailer, MailOutcome } from '@posthorn/core/ports/transport'
import { durableFiles, type NewDurableFile } from './durable-files.js'
import { mailFileNameOf, mailFolderOf, outboxMailIdOf, unfinishedMailsFolder } from './outbox-index.js'

/** Mails that share one sync of their folders. */
const batchSize = 128
/** Characters after which a batch ends: a mail with attachments is copied whole when it is written. */
const batchCharacters = 4 * 1024 * 1024

type Job = { readonly id: string; readonly file: NewDurableFile; readonly done: (outcome: MailOutcome) => void }

const jobOf = ({ deliveryId, mime }: Mail, done: Job['done']): Job => {
  const id = outboxMailIdOf(deliveryId)
  return { id, file: { folder: mailFolderOf(id), name: mailFileNameOf(id), text: mime }, done }
}

/** Durable before acceptance; transmits nothing. A repeated delivery replaces its file. A mail that cannot be written is deferred. */
export const outboxMailer = ({ directory, log }: { readonly directory: string; readonly log: Log }): Mailer => {
  const files = durableFiles(directory)
  const waiting: Job[] = []
  let working: Promise<void> | undefined
  let closed = false

  const write = async (batch: readonly Job[]): Promise<void> => {
    const troubles = await files.write(batch.map(({ file }) => file))
    const trouble = troubles.find((one) => one !== undefined)
    if (trouble) log('error', 'The outbox cannot be written to', { directory, reason: trouble.message })
    batch.forEach(({ id, done }, index) => {
      const error = troubles[index]
      done(
        error
          ? { kind: 'deferred', throttled: false, error: { name: 'OutboxFailure', message: error.message } }
          : { kind: 'accepted', providerMessageId: `outbox-${id}` },
      )
    })
  }

  const nextBatch = (): readonly Job[] => {
    let characters = 0
    const end = waiting.findIndex(({ file }) => {
      characters += file.text.length
      return characters > batchCharacters
    })
    return waiting.splice(0, end < 0 ? batchSize : Math.min(Math.max(end, 1), batchSize))
  }

  /** Batches mails of one turn of the event loop, or of one write. */
  const work = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await write(nextBatch())
    working = undefined
  }

  return {
    send: (mail) =>
      new Promise((done) => {
        if (closed)
          return done({
            kind: 'deferred',
            throttled: false,
            error: { name: 'OutboxFailure', message: 'The outbox is closed' },
          })
        waiting.push(jobOf(mail, done))
        working ??= work()
      }),
    ratePerSecond: async () => undefined,
    reportsSends: false,
    concurrency: batchSize,
    check: async () => {
      files.sweep(Date.now())
      const [trouble] = await files.write([{ folder: unfinishedMailsFolder, name: 'check', text: '' }])
      if (trouble) throw trouble
      rmSync(join(directory, unfinishedMailsFolder, 'check'))
    },
    close: async () => {
      closed = true
      await working
    },
  }
}
