import { z } from 'zod'
import { bytesOfBase64url } from '../kernel/encoding.js'
import type { Clock, Counters, Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import { issueToken } from '../tokens/issued-token.js'
import { openToken } from '../tokens/tokens.js'

/** Draws the text as an SVG document that people can read and programs cannot. */
export type DrawCaptcha = (text: string) => string

/** The answer to a CAPTCHA, in the body of a subscription from a browser. */
export const CaptchaFields = z.object({
  captchaText: z.string().max(100).optional().meta({
    description: 'What the picture of a CAPTCHA says, in any spelling of upper and lower case; needed in a browser',
  }),
  captchaProbe: z.string().max(1000).optional().meta({ description: 'The probe that came with the picture' }),
})
export type CaptchaAnswer = z.output<typeof CaptchaFields>

export const Captcha = z
  .object({
    data: z.string().meta({ description: 'The picture: an SVG document' }),
    probe: z.string().meta({ description: 'Goes back with the text; good for five minutes, and for one answer' }),
  })
  .meta({ id: 'Captcha', description: 'A CAPTCHA to solve' })
export type Captcha = z.output<typeof Captcha>

type Deps = {
  readonly secrets: Pick<Secrets, 'random' | 'sign' | 'signed' | 'verifies'>
  readonly clock: Clock
  readonly counters: Pick<Counters, 'takeUpTo'>
  readonly drawCaptcha: DrawCaptcha
}

/** The only message for all failed CAPTCHAs (spec, "CAPTCHA"). Forms recognise it and show it in the visitor's language. */
export const wrongCaptcha = 'Invalid CAPTCHA. Please try again.'
export const captchaRefusal = () => invalid(wrongCaptcha)

/** Letters and digits that cannot be mistaken for one another, even with a line across. */
export const captchaAlphabet = 'ACFHKNRSTXZ39'
/** Characters outside the alphabet that look like one in it; they are accepted as that one. */
const lookalikes: Readonly<Record<string, string>> = {
  E: 'F',
  P: 'R',
  4: 'A',
  5: 'S',
  G: 'C',
  7: 'T',
  Y: 'X',
  2: 'Z',
  8: '3',
  Q: '9',
  W: 'N',
}
const length = 6
const goodForSeconds = 5 * 60
/** Answered probes are remembered 60 s longer than they are valid, because clocks of processes differ. */
const marginSeconds = 60

/** Normalises a text for comparison: people type spaces and lower case, and confuse look-alikes. */
const plain = (text: string) =>
  Array.from(text.replace(/\s/g, '').toUpperCase(), (letter) => lookalikes[letter] ?? letter).join('')

/** The text of the keyed digest. */
const signed = (nonce: string, text: string) => `captcha:${nonce}:${plain(text)}`

/** CAPTCHAs that store nothing until they are answered (gaps.md, "Signup forms"). */
export const captchas = ({ secrets, clock, counters, drawCaptcha }: Deps) => {
  const newText = () =>
    Array.from(bytesOfBase64url(secrets.random(length)) ?? [], (byte) =>
      captchaAlphabet.charAt(byte % captchaAlphabet.length),
    ).join('')

  return {
    /** Makes a CAPTCHA. Its probe does not reveal the text: without the server's secret, guesses cannot be tested against it. */
    challenge: (): Captcha => {
      const text = newText()
      const nonce = secrets.random(16)
      const x = Math.floor(clock().getTime() / 1000) + goodForSeconds
      const k = secrets.sign(signed(nonce, text), 'captcha')
      return { data: drawCaptcha(text), probe: issueToken(secrets, { purpose: 'captcha', n: nonce, k, x }) }
    },

    /**
     * Resolves if the text is the one in the probe's picture. A probe accepts one answer among all processes, right or wrong, so a second
     * guess is impossible.
     * @throws Refusal `invalid`, the same for every failure
     */
    assertSolved: async ({ captchaText = '', captchaProbe }: CaptchaAnswer): Promise<void> => {
      const probe = openToken(secrets, 'captcha', captchaProbe, clock())
      const isFirst =
        probe &&
        (await counters.takeUpTo(
          { key: `captcha:${probe.n}`, n: 1, limit: 1 },
          new Date((probe.x + marginSeconds) * 1000),
        )) === 1
      if (!isFirst || !secrets.verifies(signed(probe.n, captchaText), probe.k, 'captcha')) throw captchaRefusal()
    },
  }
}
export type Captchas = ReturnType<typeof captchas>
