import type { Mailer } from '@posthorn/core/ports/transport'
import { type Fault, type LocalSes, localSes, SesError } from '@posthorn/local-aws'
import {
  type ContractMailer,
  type MakeMailer,
  mailerContract,
  type ProviderTreatment,
} from '@posthorn/testkit/contracts'
import { standardConnectionPoolLimits } from '../../src/http/sdk-client.js'
import { ownAccountMailers, type SesMailerOptions, sesMailer } from '../../src/index.js'
import { mailerInThread } from '../../src/mailer/thread-mailer.js'
import { awsOf, region } from '../world.js'

const faults: Readonly<Partial<Record<ProviderTreatment, Fault>>> = {
  refuses: new SesError('MessageRejected', 'The content is refused.', 400),
  defers: new SesError('InternalServiceErrorException', 'Later.', 500),
  throttles: new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.', 429),
  'shuts-account': new SesError('SendingPausedException', 'Sending is paused.', 400),
  breaks: 'break-after',
  'is-silent': 'no-answer',
}

type Limits = NonNullable<SesMailerOptions['limits']>
type Sending = { readonly Destination?: { readonly ToAddresses?: readonly string[] } }

const making =
  (open: (ses: LocalSes, limits: Limits) => Mailer): MakeMailer =>
  async ({ timeout }): Promise<ContractMailer> => {
    const ses = await localSes()
    ses.region(region).identities.verify('example.com', true)
    const treatments = new Map<string, ProviderTreatment>()
    ses.failWith(({ body }) => {
      const [to = ''] = (body as Sending).Destination?.ToAddresses ?? []
      return faults[treatments.get(to) ?? 'has-no-mailbox']
    })
    return {
      mailer: open(ses, { requestTimeout: timeout }),
      treat: (to, treatment) => void treatments.set(to, treatment),
      taken: () => ses.sent.map(({ from, to: [to = ''], mime }) => ({ from, to, mime })),
      close: ses.close,
    }
  }

/** As `sesMailer`, with the sending of its thread. */
const withThread = (ses: LocalSes, limits: Limits): Mailer => {
  const here = sesMailer({ region, ...awsOf(ses), limits })
  const ask = async (question: unknown) => here.answer(question as Parameters<typeof here.answer>[0])
  const all = { ...standardConnectionPoolLimits, ...limits }
  const there = mailerInThread({ region, configurationSet: undefined, limits: all }, undefined, ask)
  return { ...here, ...there, close: async () => void (await Promise.all([there.close(), here.close()])) }
}

const ofOwnAccount = (ses: LocalSes, limits: Limits): Mailer => {
  const mailers = ownAccountMailers({ aws: { endpoint: ses.url }, limits })
  const credentials = { accessKeyId: 'AKIDOWN', secretAccessKey: 'secret' }
  return { ...mailers.of({ owner: 'project', credentials, region }), close: mailers.close }
}

// SES reports a mailbox that does not exist by an event.
const options = { without: ['has-no-mailbox'] } as const

mailerContract(
  'Amazon SES',
  making((ses, limits) => sesMailer({ region, ...awsOf(ses), limits })),
  options,
)
mailerContract('Amazon SES in a thread', making(withThread), options)
mailerContract('Amazon SES of a project’s own account', making(ofOwnAccount), options)
