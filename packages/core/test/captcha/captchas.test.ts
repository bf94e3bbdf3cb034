import { signedToken } from '@posthorn/core/ports/transport'
import { fakeSecrets, fixedClock, inMemoryCounters, readableCaptcha, readCaptchaText } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { captchas } from '../../src/captcha/captchas.js'

const start = () => {
  const clock = fixedClock()
  const secrets = fakeSecrets()
  const counters = inMemoryCounters()
  const here = captchas({ secrets, clock: clock.now, counters, drawCaptcha: readableCaptcha })
  const challenge = () => {
    const { data, probe } = here.challenge()
    return { captchaText: readCaptchaText(data), captchaProbe: probe }
  }
  return { ...here, clock, secrets, counters, challenge }
}

const refusal = { kind: 'invalid', message: 'Invalid CAPTCHA. Please try again.' }

describe('a CAPTCHA', () => {
  it('has six unambiguous letters and digits', () => {
    const { challenge } = start()
    const texts = Array.from({ length: 50 }, () => challenge().captchaText)
    for (const text of texts) expect(text).toMatch(/^[ACFHKNRSTXZ39]{6}$/)
    expect(new Set(texts).size).toBe(50)
    expect(new Set(texts.join('')).size).toBe(13)
  })

  it('is solved by its text in any spelling', async () => {
    const { challenge, assertSolved } = start()
    const { captchaText, captchaProbe } = challenge()
    const spelled = ` ${captchaText.toLowerCase().slice(0, 3)} ${captchaText.slice(3)}`
    await expect(assertSolved({ captchaText: spelled, captchaProbe })).resolves.toBeUndefined()
  })

  it('is solved by characters that look alike with a line across', async () => {
    const { assertSolved, secrets, clock } = start()
    const x = clock.now().getTime() / 1000 + 60
    const probeOf = (text: string) => {
      const n = secrets.random(16)
      return signedToken(secrets, { purpose: 'captcha', n, k: secrets.sign(`captcha:${n}:${text}`, 'captcha'), x })
    }
    await expect(assertSolved({ captchaText: 'ep45g7', captchaProbe: probeOf('FRASCT') })).resolves.toBeUndefined()
    await expect(assertSolved({ captchaText: 'y28qwh', captchaProbe: probeOf('XZ39NH') })).resolves.toBeUndefined()
    await expect(assertSolved({ captchaText: 'FRASCH', captchaProbe: probeOf('FRASCT') })).rejects.toMatchObject(
      refusal,
    )
  })

  it('can be solved once', async () => {
    const { challenge, assertSolved } = start()
    const answer = challenge()
    const settled = await Promise.allSettled([1, 2, 3].map(() => assertSolved(answer)))
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  it('can be solved once across processes, for as long as it is valid', async () => {
    const { challenge, assertSolved, clock, secrets, counters } = start()
    const other = captchas({ secrets, clock: clock.now, counters, drawCaptcha: readableCaptcha })
    const answer = challenge()
    await assertSolved(answer)
    clock.advance(5 * 60_000 - 1)
    await counters.prune(clock.now())
    await expect(other.assertSolved(answer)).rejects.toMatchObject(refusal)
  })

  it('allows one guess: a correct one after a wrong one is refused', async () => {
    const { challenge, assertSolved } = start()
    const answer = challenge()
    await expect(assertSolved({ ...answer, captchaText: 'AAAAAA' })).rejects.toMatchObject(refusal)
    await expect(assertSolved(answer)).rejects.toMatchObject(refusal)
  })

  it('is valid for five minutes', async () => {
    const { challenge, assertSolved, clock } = start()
    const [early, late] = [challenge(), challenge()]
    clock.advance(5 * 60_000 - 1)
    await assertSolved(early)
    clock.advance(1)
    await expect(assertSolved(late)).rejects.toMatchObject(refusal)
  })

  it('is not solved by another’s text, an empty text or an invalid probe', async () => {
    const { challenge, assertSolved, secrets } = start()
    const [one, other] = [challenge(), challenge()]
    const d = secrets.sign('captcha:n:MINE', 'captcha')
    const answers = [
      { ...one, captchaText: other.captchaText },
      {},
      { captchaProbe: challenge().captchaProbe },
      { captchaText: '', captchaProbe: challenge().captchaProbe },
      { captchaText: 'ACFHKN' },
      { ...challenge(), captchaProbe: 'a.b' },
      {
        captchaText: 'MINE',
        captchaProbe: signedToken(fakeSecrets('theirs'), { purpose: 'captcha', n: 'n', k: d, x: 9e9 }),
      },
      { captchaText: 'MINE', captchaProbe: signedToken(secrets, { purpose: 'unsubscribe', l: 'l', c: 'c' }) },
    ]
    for (const answer of answers) await expect(assertSolved(answer)).rejects.toMatchObject(refusal)
  })

  it('has a probe that does not reveal its text', () => {
    const { challenge, secrets } = start()
    const { captchaText, captchaProbe } = challenge()
    const payload = JSON.parse(atob(captchaProbe.split('.')[0] ?? ''))
    expect(Object.keys(payload).sort()).toEqual(['k', 'n', 'purpose', 'x'])
    expect(payload.k).toBe(secrets.sign(`captcha:${payload.n}:${captchaText}`, 'captcha'))
    expect(payload.k).not.toBe(fakeSecrets('another').sign(`captcha:${payload.n}:${captchaText}`))
    expect(JSON.stringify(payload)).not.toContain(captchaText)
  })
})
