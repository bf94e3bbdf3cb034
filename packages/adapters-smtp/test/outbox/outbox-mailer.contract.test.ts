import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mail, Mailer } from '@posthorn/core/ports/transport'
import { type ContractMailer, mailerContract, type TakenMail, withoutProvider } from '@posthorn/testkit/contracts'
import { outboxMailer } from '../../src/index.js'
import { newFolder } from './folder.js'

/** A file has no envelope: its recipient is the one of the mail that was given under its name. */
const make = async (): Promise<ContractMailer> => {
  const directory = newFolder()
  const outbox = outboxMailer({ directory, log: () => {} })
  const recipients = new Map<string, string>()
  const send: Mailer['send'] = async (mail: Mail) => {
    const outcome = await outbox.send(mail)
    if (outcome.kind === 'accepted') recipients.set(outcome.providerMessageId.replace('outbox-', ''), mail.to)
    return outcome
  }
  const taken = (): readonly TakenMail[] =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.eml'))
      .map((path) => ({
        to: recipients.get(path.replace(/^.*\/|\.eml$/g, '')) ?? '',
        mime: readFileSync(join(directory, path), 'utf8'),
      }))
  return { mailer: { ...outbox, send }, taken, treat: () => {}, close: async () => {} }
}

mailerContract('the outbox', make, {
  without: withoutProvider,
})
