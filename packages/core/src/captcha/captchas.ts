import { z } from 'zod'
import { bytesOfBase64url } from '../kernel/encoding.js'
import type { Clock, Counters, Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import { signedToken } from '../tokens/signed-token.js'
import { validToken } from '../tokens/tokens.js'

/** As SVG that people can read and programs cannot. */
export type DrawCaptcha = (text: string) => string

export const CaptchaFields = z.object({
  captchaText: z
    .string()
    .max(100)
    .optional()
    .describe('The text in the CAPTCHA image, in upper or lower case; required from a browser'),
  captchaProbe: z.string().max(1000).optional().describe('The probe that came with the picture'),
})
type CaptchaAnswer = z.output<typeof CaptchaFields>

export const CaptchaChallenge = z
  .object({
    data: z.string().describe('The picture: an SVG document'),
    probe: z.string().describe('Return it with the text; valid for five minutes and one answer'),
  })
  .meta({ id: 'Captcha', description: 'A CAPTCHA to solve' })
export type CaptchaChallenge = z.output<typeof CaptchaChallenge>

type Deps = {
  readonly secrets: Pick<Secrets, 'random' | 'sign' | 'signed' | 'verifies'>
  readonly clock: Clock
  readonly counters: Pick<Counters, 'takeUpTo'>
  readonly drawCaptcha: DrawCaptcha
}

/** For all failures (spec, "CAPTCHA"). Forms recognise it and translate it. */
export const wrongCaptchaMessage = 'Invalid CAPTCHA. Please try again.'
export const captchaRefusal = () => invalid(wrongCaptchaMessage)

/** Cannot be confused, even with a line across. */
export const captchaAlphabet = 'ACFHKNRSTXZ39'
/** Accepted as the character of the alphabet that they look like. */
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
/** Clocks of processes differ. */
const marginSeconds = 60

/** Ignores spaces, case and look-alikes. */
const plain = (text: string) =>
  Array.from(text.replace(/\s/g, '').toUpperCase(), (letter) => lookalikes[letter] ?? letter).join('')

const signed = (nonce: string, text: string) => `captcha:${nonce}:${plain(text)}`

/** Store nothing until they are answered (gaps.md, "Signup forms"). */
export const captchas = ({ secrets, clock, counters, drawCaptcha }: Deps) => {
  const newText = () =>
    Array.from(bytesOfBase64url(secrets.random(length)) ?? [], (byte) =>
      captchaAlphabet.charAt(byte % captchaAlphabet.length),
    ).join('')

  return {
    /** Without the server's secret, guesses cannot be tested against the probe. */
    challenge: (): CaptchaChallenge => {
      const text = newText()
      const nonce = secrets.random(16)
      const x = Math.floor(clock().getTime() / 1000) + goodForSeconds
      const k = secrets.sign(signed(nonce, text), 'captcha')
      return { data: drawCaptcha(text), probe: signedToken(secrets, { purpose: 'captcha', n: nonce, k, x }) }
    },

    /**
     * A probe accepts one answer among all processes, so a second guess is impossible.
     * @throws Refusal `invalid`, the same for every failure
     */
    assertSolved: async ({ captchaText = '', captchaProbe }: CaptchaAnswer): Promise<void> => {
      const probe = validToken(secrets, 'captcha', captchaProbe, clock())
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
