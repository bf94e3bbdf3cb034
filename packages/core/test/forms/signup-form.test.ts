import { SignupFormChanges, SignupFormFields, violationSentences } from '@posthorn/core/ports/transport'
import { fakeSecrets } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { captchaOf, withChallengeSecretKey } from '../../src/forms/signup-form.js'
import { DoubleOptIn } from '../../src/lists/subscriber-list.js'

const form = (fields: object = {}) => ({
  _id: '1',
  projectId: '2',
  createdAt: '2026-01-06T13:27:32.017Z',
  updatedAt: '2026-01-06T13:27:32.017Z',
  ...SignupFormFields.omit({ doubleOptIn: true, challengeSecretKey: true }).parse({ name: 'Form', ...fields }),
  doubleOptIn: { _id: '3', ...SignupFormFields.shape.doubleOptIn.parse(undefined) },
})
const secrets = fakeSecrets()

describe('what a visitor must solve', () => {
  it.each([
    [undefined, true, 'svg'],
    [undefined, false, 'none'],
    ['none', true, 'none'],
    ['svg', false, 'svg'],
    ['challenge', false, 'proof-of-work'],
  ] as const)('with captchaType %s and showCaptcha %s is %s', (captchaType, showCaptcha, expected) => {
    expect(captchaOf({ captchaType, showCaptcha, challengeSiteKey: '' })).toBe(expected)
  })

  it.each([
    ['site', 'sealed', 'widget'],
    ['', 'sealed', 'widget'],
    ['site', undefined, 'widget'],
    ['', undefined, 'proof-of-work'],
  ])('of a challenge with the keys %j and %j is the %s', (challengeSiteKey, challengeSecretKey, expected) => {
    const form = { captchaType: 'challenge', showCaptcha: true, challengeSiteKey } as const
    expect(captchaOf({ ...form, challengeSecretKey })).toBe(expected)
    expect(captchaOf({ ...form, challengeSecretKey, captchaType: undefined })).toBe('svg')
  })
})

describe('a secret key’s hint', () => {
  it.each([
    ['abcdefghijkl', 'ab**…**kl'],
    ['abcdefgh', 'ab**…**gh'],
    ['abcdefg', '**…**'],
    ['a', '**…**'],
  ])('of %s is %s', (secret, hint) => {
    expect(withChallengeSecretKey(form(), secret, secrets).challengeSecretKeyHint).toBe(hint)
  })

  it('is removed with the key', () => {
    const keyed = withChallengeSecretKey(form(), 'abcdefghijkl', secrets)
    expect(withChallengeSecretKey(keyed, '', secrets)).toEqual(form())
  })
})

describe('changes of a form', () => {
  it('are empty if nothing is given: defaults do not apply', () => {
    expect(SignupFormChanges.parse({})).toEqual({})
  })

  it('complete replaced objects, and keep merged ones partial', () => {
    const changes = { doubleOptIn: { active: true }, termsAndConditions: { show: true } }
    expect(SignupFormChanges.parse(changes)).toEqual({
      doubleOptIn: { ...DoubleOptIn.parse({}), active: true },
      termsAndConditions: { show: true },
    })
  })
})

describe('a stylesheet value', () => {
  const taken = (fields: object) => violationSentences(SignupFormFields, { name: 'Form', ...fields }).length === 0

  it.each(['', '#fff', '#1f5fa8', '#1F5FA880', 'rebeccapurple', 'rgb(31, 95, 168)', 'hsl(210deg 68% 39% / 50%)'])(
    'may be the colour %j',
    (btnColor) => expect(taken({ btnColor })).toBe(true),
  )

  it.each([
    '#12',
    'red;',
    'red}',
    'red</style>',
    'url(https://evil.example)',
    'var(--x)',
    'expression(alert(1))',
    'rgb(1,2,3);x:y',
    'red\n',
    'red/*',
    'r\\65 d',
  ])('rejects the colour %j', (btnColor) => expect(taken({ btnColor })).toBe(false))

  it.each(['', '16', '1.25rem', '12px', '110%'])('may be the size %j', (formFontSize) =>
    expect(taken({ formFontSize })).toBe(true),
  )

  it.each(['-1px', '1e9px', '16px;', 'calc(1px)', '9999px', 'large}', '16 px'])('rejects the size %j', (formFontSize) =>
    expect(taken({ formFontSize })).toBe(false),
  )

  it.each(['', 'Georgia', '"Open Sans", Arial, sans-serif', "'Noto Sans JP', sans-serif", 'Überschrift'])(
    'may be the font %j',
    (btnFont) => expect(taken({ btnFont })).toBe(true),
  )

  it.each([
    `${'a,    '.repeat(200)}!`,
    'Arial;',
    '"Arial',
    'Arial,',
    'url(x)',
    '"a</style>"',
    "'a\\'",
    'Arial}body{',
    '@import',
    '"a\nb"',
  ])('rejects the font %j', (btnFont) => expect(taken({ btnFont })).toBe(false))
})

describe('a link of a form', () => {
  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'ftp://x.example', 'thanks', ' '])(
    'rejects %j',
    (link) => {
      const wrong = violationSentences(SignupFormFields, {
        name: 'F',
        redirectLink: link,
        termsAndConditions: { link },
      })
      expect(wrong).toHaveLength(2)
    },
  )
})
