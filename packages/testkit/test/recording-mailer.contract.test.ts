import { type ContractMailer, mailerContract, type ProviderTreatment } from '@posthorn/testkit/contracts'
import {
  bouncingMailerScript,
  deferringMailerScript,
  type MailerScript,
  outcomeLosingMailerScript,
  recordingMailer,
  refusingMailerScript,
  stoppingMailerScript,
  throttlingMailerScript,
} from '../src/index.js'

const scripts: Readonly<Partial<Record<ProviderTreatment, MailerScript>>> = {
  refuses: refusingMailerScript(),
  'has-no-mailbox': bouncingMailerScript(),
  defers: deferringMailerScript(),
  throttles: throttlingMailerScript(),
  'shuts-account': stoppingMailerScript(),
  breaks: outcomeLosingMailerScript(),
}

const make = async (): Promise<ContractMailer> => {
  const mailer = recordingMailer()
  const treatments = new Map<string, ProviderTreatment>()
  mailer.answer((mail) => scripts[treatments.get(mail.to) ?? 'is-silent']?.(mail))
  return {
    mailer,
    treat: (to, treatment) => void treatments.set(to, treatment),
    taken: () => mailer.handed.filter(({ to }) => [undefined, 'breaks'].includes(treatments.get(to))),
    close: async () => {},
  }
}

mailerContract('in memory', make, { without: ['is-silent', 'unreachable'] })
