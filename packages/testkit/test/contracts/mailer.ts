import type { Mail, Mailer, MailOutcome } from '@posthorn/core/ports/transport'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { freshStore } from './under-test/store.js'

/**
 * How a provider treats mails to an address, and the outcome that each needs, because the core acts on it:
 * - `refuses`: this mail, for good. It fails at once; the address gets others.
 * - `has-no-mailbox`: the address accepts no mail. It is suppressed.
 * - `defers`: sent again with growing waits, up to 50 times.
 * - `throttles`: mails come too fast. The whole channel slows down, and no attempt is counted.
 * - `shuts-account`: no mail is sent until a person acts. Campaigns stop, and can be resumed.
 * - `breaks`: takes the message, and the connection breaks before the answer. The mail may arrive twice: it is sent again at most twice.
 * - `is-silent`: takes the message, and never answers. As `breaks`, after the mailer’s timeout: without one, the mail would wait for ever.
 */
const outcomes = {
  refuses: { kind: 'refused' },
  'has-no-mailbox': { kind: 'refused', bounce: true },
  defers: { kind: 'deferred', throttled: false },
  throttles: { kind: 'deferred', throttled: true },
  'shuts-account': { kind: 'stopped' },
  breaks: { kind: 'unknown' },
  'is-silent': { kind: 'unknown' },
} as const satisfies Readonly<Record<string, Partial<MailOutcome>>>

export type ProviderTreatment = keyof typeof outcomes

export type TakenMail = {
  /** Absent if the mailer names no sender to the provider. */
  readonly from?: string | undefined
  readonly to: string
  /** As the provider would deliver it: an SMTP server removes the dots that the client doubled. */
  readonly mime: string
}

/** What a mailer provides to its contract: itself, and a fake provider that it sends to. */
export type ContractMailer = {
  readonly mailer: Mailer
  /** From now on, the fake provider treats mails to this address so. It accepts all others, from `news@example.com`. */
  readonly treat: (to: string, treatment: ProviderTreatment) => void
  /** Every mail that the provider took, in any order: those that it accepted, and those that it left without an answer. */
  readonly taken: () => readonly TakenMail[] | Promise<readonly TakenMail[]>
  /** Ends the provider: nothing answers at its address any more. The suite closes the mailer itself. */
  readonly close: () => Promise<void>
}

/** @param patience the mailer’s timeout for a provider’s answer, in ms: short only where a test waits for it */
export type MakeMailer = (patience: { readonly timeout: number }) => Promise<ContractMailer>

export type MailerContractOptions = {
  /** The number of examples per property (default 20). */
  readonly runs?: number
  /** What the provider cannot do by design, and `unreachable` if the mailer reaches for nothing; their tests are left out. */
  readonly without?: readonly (ProviderTreatment | 'unreachable')[]
}

/** For mailers that keep mails themselves, as in a file. */
export const withoutProvider = [
  'refuses',
  'has-no-mailbox',
  'defers',
  'throttles',
  'shuts-account',
  'breaks',
  'is-silent',
  'unreachable',
] as const satisfies MailerContractOptions['without']

const patient = { timeout: 30_000 }
const impatient = { timeout: 300 }

/** Mails at once; more would only take longer. */
const mostAtOnce = 60

/** A local part as the core accepts it. */
const localPart = fc.string({
  unit: fc.constantFrom(..."azAZ09!#$%&'*+/=?^_`{|}~-".split('')),
  minLength: 1,
  maxLength: 20,
})

const line = fc.oneof(
  fc.constantFrom('', '.', '..', '.hidden', 'QUIT', 'From here', '=E2=82=AC', '--boundary--'),
  fc.string({ unit: fc.constantFrom('.', 'x', ' ', '=', '<', '"', '\\', '&', '\t'), maxLength: 76 }),
)

/** A message as the core renders it: ASCII, every line ends in CRLF. */
const messageOf = (lines: readonly string[]) => `Subject: Hello\r\n\r\n${lines.map((one) => `${one}\r\n`).join('')}`

/** What the core relies on of a `Mailer`: that each mail’s outcome is true, and what reaches the provider. */
export const mailerContract = (name: string, make: MakeMailer, options: MailerContractOptions = {}) => {
  const { runs: numRuns = 20, without = [] } = options
  const treatments = (Object.keys(outcomes) as readonly ProviderTreatment[]).filter((one) => !without.includes(one))
  const isUnanswered = (treatment: ProviderTreatment) => outcomes[treatment].kind === 'unknown'
  const answered = treatments.filter((one) => !isUnanswered(one))

  const opened = (patience: Parameters<MakeMailer>[0]) => async () => {
    const made = await make(patience)
    let ended: Promise<void> | undefined
    const end = () => {
      ended ??= made.close()
      return ended
    }
    const close = async () => {
      await made.mailer.close()
      await end()
    }
    return { ...made, end, close }
  }

  let count = 0
  const next = (): number => {
    count += 1
    return count
  }
  const mailTo = (to: string, mime = messageOf(['Hello.'])): Mail => {
    const recipient = next().toString(16).padStart(24, '0')
    return Object.freeze({
      deliveryId: `${'d'.repeat(24)}:${recipient}`,
      projectId: 'a'.repeat(24),
      from: 'news@example.com',
      to,
      mime,
    })
  }
  const newAddress = () => `reader${next()}@example.org`

  /** Sends it; the outcome is plain data, as it comes from another thread and goes into the ledger. */
  const sent = async ({ mailer }: Pick<ContractMailer, 'mailer'>, mail: Mail): Promise<MailOutcome> => {
    const outcome = await mailer.send(mail)
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome)
    if (outcome.kind === 'accepted') expect(outcome.providerMessageId).toMatch(/./)
    else {
      expect(outcome.error).toEqual({ name: expect.stringMatching(/./), message: expect.any(String) })
      if (outcome.kind === 'deferred') expect(outcome.throttled).toBeTypeOf('boolean')
    }
    return outcome
  }

  /** How often the provider took each of the mails, whose addresses differ. */
  const timesTaken = async ({ taken }: Pick<ContractMailer, 'taken'>, mails: readonly Mail[]) => {
    const all = await taken()
    return mails.map(({ to }) => all.filter((one) => one.to === to).length)
  }

  /** `accepted` means taken once, `unknown` at most once, and all others never: the core would send them again, or give them up. */
  const falseClaims = async (world: ContractMailer, mails: readonly Mail[], found: readonly MailOutcome[]) => {
    const times = await timesTaken(world, mails)
    return found.flatMap(({ kind }, index) => {
      const n = times[index] ?? 0
      const isTrue = kind === 'accepted' ? n === 1 : kind === 'unknown' ? n <= 1 : n === 0
      return isTrue ? [] : [`${kind}, taken ${n} times`]
    })
  }

  describe(`${name}: a mailer`, () => {
    const world = freshStore(opened(patient))

    it('hands over the recipient and every byte of the message unchanged', async () => {
      const { mailer, taken } = world()
      const { tellsReference = false } = mailer
      await fc.assert(
        fc.asyncProperty(localPart, fc.array(line, { maxLength: 20 }), fc.boolean(), async (local, lines, isBulk) => {
          const mime = messageOf(lines)
          const isTransparent = isBulk && !mime.includes('\r\n.')
          const envelopeFrom = isBulk ? 'b-abc@bounces.example.com' : undefined
          const reference = tellsReference ? `r-${next()}-x` : undefined
          const mail = {
            ...mailTo(`${local}@${next()}.example.org`, mime),
            envelopeFrom,
            reference,
            isTransparent,
          }
          expect(await sent(world(), mail)).toMatchObject({ kind: 'accepted' })
          const [one, ...others] = (await taken()).filter(({ to }) => to === mail.to)
          expect(others).toEqual([])
          expect([mail.from, envelopeFrom, undefined]).toContain(one?.from)
          const mimeTaken = one?.mime ?? ''
          // A reference may be a field in front of the others.
          expect(reference === undefined ? mimeTaken : mimeTaken.slice(-mime.length)).toBe(mime)
          expect(JSON.stringify(one)).toContain(reference ?? '')
        }),
        { numRuns },
      )
    })

    it('hands over a mail of several megabytes', async () => {
      const { taken } = world()
      const mail = mailTo(newAddress(), messageOf(Array.from({ length: 40_000 }, () => 'x'.repeat(76))))
      expect(await sent(world(), mail)).toMatchObject({ kind: 'accepted' })
      const [one] = await taken()
      expect(one?.mime.length).toBeGreaterThanOrEqual(mail.mime.length)
      expect(one?.mime.endsWith(mail.mime)).toBe(true)
    })

    it.each([
      'ada@example.org, eve@example.org',
      'ada@example.org>\r\nRCPT TO:<eve@example.org',
      'ada@example.org\r\nBcc: eve@example.org',
      'Ada <eve@example.org>',
      '',
    ])('gives no mail to anybody else, whatever its address: %j', async (to) => {
      const { taken } = world()
      await sent(world(), mailTo(to))
      expect((await taken()).filter((one) => one.to !== to)).toEqual([])
    })

    it('takes as many mails at once as its concurrency, each of them once', async () => {
      const { mailer } = world()
      expect(mailer.concurrency).toBeGreaterThanOrEqual(1)
      expect(Number.isInteger(mailer.concurrency)).toBe(true)
      const mails = Array.from({ length: Math.min(mailer.concurrency, mostAtOnce) }, () => mailTo(newAddress()))
      const found = await Promise.all(mails.map((mail) => sent(world(), mail)))
      expect(found.filter(({ kind }) => kind !== 'accepted')).toEqual([])
      expect(await falseClaims(world(), mails, found)).toEqual([])
    })

    it('takes a delivery again, as after an unknown outcome', async () => {
      const mail = mailTo(newAddress())
      expect(await sent(world(), mail)).toMatchObject({ kind: 'accepted' })
      expect(await sent(world(), mail)).toMatchObject({ kind: 'accepted' })
    })

    it.each(answered.slice(0, 1))('answers each mail for itself, among others that are sent at once', async () => {
      const { mailer, treat } = world()
      const fates = fc.array(fc.constantFrom(undefined, ...answered), {
        minLength: 1,
        maxLength: Math.min(mailer.concurrency, mostAtOnce),
      })
      await fc.assert(
        fc.asyncProperty(fates, async (all) => {
          const mails = all.map((fate) => {
            const mail = mailTo(newAddress())
            if (fate) treat(mail.to, fate)
            return mail
          })
          const found = await Promise.all(mails.map((mail) => sent(world(), mail)))
          const needed = all.map((fate) => (fate ? outcomes[fate] : { kind: 'accepted' }))
          expect(found).toMatchObject(needed)
          expect(await falseClaims(world(), mails, found)).toEqual([])
        }),
        { numRuns },
      )
    })

    it.each(treatments.filter((one) => one !== 'is-silent'))(
      'reports a provider that %s, and sends the next mail',
      async (treatment) => {
        const mail = mailTo(newAddress())
        world().treat(mail.to, treatment)
        const outcome = await sent(world(), mail)
        expect(outcome).toMatchObject(outcomes[treatment])
        // A bounce suppresses the address.
        expect(outcome.kind === 'refused' && outcome.bounce === true).toBe(treatment === 'has-no-mailbox')
        expect(await timesTaken(world(), [mail])).toEqual([isUnanswered(treatment) ? 1 : 0])
        expect(await sent(world(), mailTo(newAddress()))).toMatchObject({ kind: 'accepted' })
      },
    )

    it.each(without.includes('unreachable') ? [] : ['unreachable'])(
      'defers mails while the provider is %s, because none was taken',
      async () => {
        const { mailer, end } = world()
        await end()
        const mails = [mailTo(newAddress()), mailTo(newAddress())]
        const found = await Promise.all(mails.map((mail) => sent(world(), mail)))
        expect(found).toMatchObject(mails.map(() => outcomes.defers))
        await expect(mailer.check()).rejects.toThrow(/./)
      },
    )

    it('answers every mail that is sent before, while and after it closes', async () => {
      const { mailer } = world()
      await sent(world(), mailTo(newAddress()))
      const mails = Array.from({ length: 7 }, () => mailTo(newAddress()))
      const send = (from: number, to: number) => mails.slice(from, to).map((mail) => sent(world(), mail))
      const before = send(0, 5)
      const closed = mailer.close()
      const during = send(5, 6)
      await closed
      const found = await Promise.all([...before, ...during, ...send(6, 7)])
      expect(await falseClaims(world(), mails, found)).toEqual([])
    })

    it('has a rate, no problem, and a working connection', async () => {
      const { mailer } = world()
      expect((await mailer.ratePerSecond()) ?? 1).toBeGreaterThan(0)
      expect([await mailer.problem?.(), await mailer.waitsFor?.()]).toEqual([undefined, undefined])
      expect(mailer.reportsSends).toBeTypeOf('boolean')
      await expect(mailer.check()).resolves.toBeUndefined()
    })
  })

  const unanswered = treatments.filter(isUnanswered)
  if (unanswered.length === 0) return

  describe(`${name}: a mailer whose connections fail`, () => {
    const world = freshStore(opened(impatient))

    it.each(unanswered)('does not know what became of a mail if the provider %s', async (treatment) => {
      const mail = mailTo(newAddress())
      world().treat(mail.to, treatment)
      expect(await sent(world(), mail)).toMatchObject({ kind: 'unknown' })
      expect(await timesTaken(world(), [mail])).toEqual([1])
    })

    it.each(unanswered.filter((one) => one === 'is-silent'))('can close while the provider %s', async (treatment) => {
      const mail = mailTo(newAddress())
      world().treat(mail.to, treatment)
      const outcome = sent(world(), mail)
      await expect.poll(() => timesTaken(world(), [mail])).toEqual([1])
      await world().mailer.close()
      expect(await outcome).toMatchObject({ kind: 'unknown' })
    })

    it('reports every mail truthfully, and transmits none twice', async () => {
      const { mailer, treat } = world()
      const fates = fc.array(fc.constantFrom(undefined, undefined, ...treatments), {
        minLength: 1,
        maxLength: Math.min(mailer.concurrency, 12),
      })
      await fc.assert(
        fc.asyncProperty(fates, async (all) => {
          const mails = all.map((fate) => {
            const mail = mailTo(newAddress())
            if (fate) treat(mail.to, fate)
            return mail
          })
          expect(
            await falseClaims(world(), mails, await Promise.all(mails.map((mail) => sent(world(), mail)))),
          ).toEqual([])
        }),
        // Each waits for a timeout.
        { numRuns: Math.ceil(numRuns / 2) },
      )
    })
  })
}
