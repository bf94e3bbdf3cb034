import { createHash } from 'node:crypto'
import { SignupFormFields } from '@posthorn/core/ports/transport'
import { fakeSecrets } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CustomField } from '../../src/contacts/custom-field.js'
import { embeddedFormHtml } from '../../src/forms/embed.js'
import { embedScript } from '../../src/forms/embed-script.js'
import type { SignupForm } from '../../src/forms/signup-form.js'

const instants = { createdAt: '2026-01-06T13:27:32.017Z', updatedAt: '2026-01-06T13:27:32.017Z' }
const custom = (name: string, type: CustomField['type']): CustomField => ({
  _id: name,
  projectId: '2',
  name,
  key: name.toLowerCase(),
  type,
  ...instants,
})
const fields = [
  custom('city', 'string'),
  custom('birthDay', 'date'),
  custom('age', 'number'),
  custom('vip', 'boolean'),
  custom('elements', 'string'),
]
const settings = {
  publicUrl: 'https://posthorn.example.com/mail',
  challengeScriptUrl: 'https://challenges.example.com/v0/api.js',
  asksToConfirm: false,
}

const { doubleOptIn, ...standard } = SignupFormFields.parse({ name: 'Form' })
const form = (given: object): SignupForm => ({
  _id: '42',
  projectId: '2',
  ...instants,
  ...standard,
  doubleOptIn: { _id: '3', ...doubleOptIn },
  ...given,
})
const file = (given: object) => embeddedFormHtml(form(given), fields, settings, fakeSecrets())
const policyOf = (text: string) =>
  (/http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&#39;', "'")
const namesIn = (text: string) => [...text.matchAll(/<input [^>]*?name="([^"]*)"/g)].map(([, name]) => name)

/** The file without the sheet and the script that are the same in all. */
const frame = (text: string) => text.replace(/<style>.*<\/style>/s, '').replace(embedScript, '')

describe('a form’s thanks', () => {
  const thanks = (given: object, asksToConfirm: boolean) =>
    /data-ph="done"[^>]*>(.*)<\/p>/.exec(
      embeddedFormHtml(form(given), fields, { ...settings, asksToConfirm }, fakeSecrets()),
    )?.[1]

  it('say that a mail has to be confirmed, unless the project has words of its own', () => {
    expect(thanks({}, false)).toContain('Thank you for signing up.')
    expect(thanks({}, true)).toContain('open the mail that we have just sent you')
    expect(thanks({ successMessage: 'See you soon.' }, true)).toBe('See you soon.')
  })
})

describe('a form’s embed code', () => {
  it('has inputs for the address, the shown properties in order, the terms and the CAPTCHA', () => {
    const text = file({
      propertiesStyle: {
        vip: { show: true, required: false, placeholder: '', order: 3 },
        name: { show: true, required: true, placeholder: 'Your name', order: 1 },
        age: { show: false, required: true, placeholder: '', order: 0 },
        birthDay: { show: true, required: false, placeholder: '', order: 2 },
        gone: { show: true, required: true, placeholder: '', order: 0 },
      },
      termsAndConditions: { ...standard.termsAndConditions, show: true, link: 'https://shop.example.com/terms' },
    })
    expect(namesIn(text)).toEqual([
      'ph-email',
      'ph-name',
      'ph-birthDay',
      'ph-vip',
      'ph-termsAccepted',
      'ph-captchaText',
    ])
    expect(text).toContain('Birth day')
    expect(text).toContain('<a href="https://shop.example.com/terms" target="_blank" rel="noopener">')
  })

  it('does not give inputs names that a form element already has', () => {
    const text = file({ propertiesStyle: { elements: { show: true, required: false, placeholder: '', order: 0 } } })
    expect(namesIn(text)).toContain('ph-elements')
  })

  it('allows only its own script', () => {
    const policy = policyOf(file({}))
    const hash = createHash('sha256').update(embedScript).digest('base64')
    expect(policy).toContain(`script-src 'sha256-${hash}';`)
    expect(policy).toContain('connect-src https://posthorn.example.com;')
    expect(policy).not.toContain('frame-src')
  })

  it('loads only the challenge widget from its provider', () => {
    const text = file({ captchaType: 'challenge', challengeSiteKey: 'site"key', challengeTheme: 'dark' })
    expect(text).toContain('data-sitekey="site&quot;key" data-theme="dark"')
    expect(text).toContain('<script src="https://challenges.example.com/v0/api.js" async defer></script>')
    expect(policyOf(text)).toMatch(
      /script-src [^;]* https:\/\/challenges.example.com; frame-src https:\/\/challenges.example.com;/,
    )
    expect(namesIn(text)).toEqual(['ph-email'])
  })

  it('uses a proof of work if the challenge has no provider, without further inputs or requests', () => {
    const text = file({ captchaType: 'challenge' })
    expect(namesIn(text)).toEqual(['ph-email'])
    expect(text).toContain('<p class="ph-check-line" data-ph="check" role="status"></p>')
    expect(policyOf(text)).not.toContain('challenges.example.com')
    expect(frame(text)).not.toContain('cf-turnstile')
    expect(frame(file({}))).not.toContain('data-ph="check"')
  })

  it('has default texts in the project’s language, and lets the script translate them to the visitor’s', () => {
    const given = { btnLabel: 'Join us', termsAndConditions: { ...standard.termsAndConditions, show: true } }
    const text = embeddedFormHtml(form(given), fields, { ...settings, language: 'de' }, fakeSecrets())
    expect(text).toContain('<html lang="de">')
    expect(text).toContain('<span data-ph-say="formEmail">Ihre E-Mail-Adresse</span>')
    expect(text).toContain('placeholder="Ihre E-Mail-Adresse" data-ph-placeholder="formEmail"')
    expect(text).toContain('<span data-ph-say="formTerms">Ich akzeptiere die</span>')
    expect(text).toContain(
      'aria-label="Anderes Bild zeigen" title="Anderes Bild zeigen" data-ph-label="formCaptchaAgain"',
    )
    expect(text).toContain('type="submit">Join us</button>')
    expect(text).toContain('<noscript>Dieses Formular braucht JavaScript.</noscript>')
    const [, json = ''] = /data-ph="settings">(.*?)<\/script>/s.exec(text) ?? []
    const { texts } = JSON.parse(json) as { texts: Record<string, Record<string, string>> }
    expect(Object.keys(texts).sort()).toEqual(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'])
    for (const said of Object.values(texts)) expect(Object.keys(said)).toEqual(Object.keys(texts.en ?? {}))
    for (const key of embedScript.matchAll(/say\.(\w+)/g)) expect(texts.en).toHaveProperty(key[1] ?? '')
  })

  it('has the same tags whatever its texts are', () => {
    const tags = (text: string) => [...frame(text).matchAll(/<(\/?[a-z]+)/g)].map(([, tag]) => tag)
    const usual = (words: string) => ({
      name: words,
      formLayout: words,
      emailPlaceholder: words,
      captchaPlaceholder: words,
      btnLabel: words,
      successMessage: words,
      termsAndConditions: { show: true, label: words, linkLabel: words, link: 'https://shop.example.com' },
      propertiesStyle: { city: { show: true, required: false, placeholder: words, order: 0 } },
    })
    const expected = tags(file(usual('words')))
    const hostile = fc.oneof(
      fc.constantFrom('</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<!--', ']]>', "'"),
      fc.string({ unit: 'binary', maxLength: 40 }),
    )
    fc.assert(
      fc.property(hostile, (words) => {
        expect(tags(file(usual(words)))).toEqual(expected)
      }),
    )
  })

  it('puts no invalid value into its stylesheet, even if it was stored', () => {
    const sheet = (given: object) => /<style>(.*?)<\/style>/s.exec(file(given))?.[1]
    const usual = sheet({})
    const styles = ['formFontStyle', 'formFontColor', 'formFontSize', 'btnColor', 'btnFont', 'successFontSize'] as const
    for (const field of styles)
      for (const value of ['', '</style><script>', 'red;}*{display:none', 'url(//evil.example)'])
        expect(sheet({ [field]: value })).toBe(usual)
  })

  it('treats a bare number as pixels', () => {
    expect(file({ btnFontSize: '20' })).toContain('--ph-button-size: 20px')
  })
})
