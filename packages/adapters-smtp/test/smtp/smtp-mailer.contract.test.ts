import type { Mailer } from '@posthorn/core/ports/transport'
import {
  type ContractMailer,
  type MakeMailer,
  mailerContract,
  type ProviderTreatment,
  type TakenMail,
} from '@posthorn/testkit/contracts'
import { type SmtpOptions, smtpMailer, withProviderReferenceHeaders } from '../../src/index.js'
import { local, polite, scripted, type Turn } from './servers.js'

/** What a server answers RCPT TO. */
const recipientReplies: Readonly<Partial<Record<ProviderTreatment, string>>> = {
  'has-no-mailbox': '550 5.1.1 No such user\r\n',
  defers: '450 4.2.0 Greylisted\r\n',
  throttles: '451 4.7.28 Too many messages, slow down\r\n',
}

const pathIn = (line: string) => line.slice(line.indexOf('<') + 1, line.lastIndexOf('>'))

const provider = async ({ pipelining }: { readonly pipelining: boolean }) => {
  const treatments = new Map<string, ProviderTreatment>()
  const taken: TakenMail[] = []
  const session = (): Turn => {
    let from = ''
    let to = ''
    let isRefused = false
    let isOver = false
    return (line, socket) => {
      if (isOver) return undefined
      if (line.startsWith('EHLO')) return pipelining ? polite(line, socket) : '250 scripted\r\n'
      if (line.startsWith('MAIL')) from = pathIn(line)
      if (line.startsWith('RCPT')) {
        to = pathIn(line)
        const refusal = recipientReplies[treatments.get(to) ?? 'refuses']
        isRefused = refusal !== undefined
        if (refusal) return refusal
      }
      if (line === 'DATA' && isRefused) return '554 5.5.1 No valid recipients\r\n'
      if (line !== 'MESSAGE') return polite(line, socket)
      const treatment = treatments.get(to)
      if (treatment === 'refuses') return '554 5.7.1 Refused by policy\r\n'
      taken.push({ from, to, mime: `${server.heard.at(-1)?.replaceAll(/^\./gm, '')}\r\n` })
      if (treatment === undefined) return polite(line, socket)
      isOver = true
      if (treatment === 'breaks') socket.destroy()
      return undefined
    }
  }
  const server = await scripted(() => ({ turn: session() }))
  return { server, taken, treat: (to: string, as: ProviderTreatment) => void treatments.set(to, as) }
}

const making =
  (open: (options: SmtpOptions) => Mailer, pipelining = true): MakeMailer =>
  async ({ timeout }): Promise<ContractMailer> => {
    const { server, taken, treat } = await provider({ pipelining })
    const mailer = open(local(server.port, { timeouts: { data: timeout } }))
    return { mailer, treat, taken: () => taken, close: server.close }
  }

// A reply of a server refuses or defers a mail; none says that the account is shut.
const options = { without: ['shuts-account'] } as const

mailerContract('SMTP', making(smtpMailer), options)
mailerContract('SMTP without pipelining', making(smtpMailer, false), options)
mailerContract(
  'SMTP with a provider’s header',
  making((settings) => withProviderReferenceHeaders(smtpMailer(settings), ['X-Reference: {}'])),
  options,
)
