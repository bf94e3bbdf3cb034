import type { SignupFormView } from '@posthorn/core'
import { readCaptchaText, scriptedChallenges, solvedChallenge } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

const shop = 'https://shop.example.com'
const secret = '0x4AAAAAAA-secret-key'
const nowhere = '0'.repeat(24)

let world: World
let confirmation = ''
beforeAll(async () => {
  world = await aWorld({
    verifyChallenge: scriptedChallenges({ [secret]: ['solved'], 'a-key-of-nobody': new Error('no route to host') }),
  })
  await world.call('updateProject', { body: { whiteList: ['shop.example.com'] } })
  await world.call('createCustomField', { body: { name: 'City', type: 'string' } })
  await world.call('createCustomField', { body: { name: 'plan', type: 'string' } })
  confirmation = await emailWith('<a href="{{verifyLink}}">Confirm</a>')
})
afterAll(() => world.client.close())

const emailWith = async (document: string) => {
  const body = { name: 'Confirm', subject: 'Please confirm', type: 'html', document }
  return (await world.call('createTransactionalEmail', { body })).result._id
}

const made = async (fields: object = {}): Promise<SignupFormView> =>
  (await world.call('createSignupForm', { body: { name: 'Newsletter', ...fields } })).result

/** A form on the project's list that asks for no CAPTCHA unless told otherwise. */
const aForm = (fields: object = {}) =>
  made({ captchaType: 'none', subscriberListIds: [world.project.list._id], ...fields })

const submit = (id: string, body: object, headers: Record<string, string> = { origin: shop }) =>
  world.client.call('submitSignupForm', { params: { id }, body, headers })

const solvedCaptcha = async () => {
  const { data, probe } = (await world.client.call('getCaptcha')).result
  return { captchaText: readCaptchaText(data), captchaProbe: probe }
}

const statusOn = async (list: string, email: string) =>
  (await world.call('getSubscriber', { params: { id: list, email } })).result?.status

describe('createSignupForm', () => {
  it('gives omitted fields their defaults', async () => {
    expect(await made()).toMatchObject({
      name: 'Newsletter',
      subscriberListIds: [],
      showCaptcha: true,
      challengeTheme: 'auto',
      emailPlaceholder: 'Your email address',
      btnLabel: 'Subscribe',
      redirectLink: '',
      termsAndConditions: { show: false, label: 'I accept the', linkLabel: 'terms and conditions', link: '' },
      propertiesStyle: {},
      doubleOptIn: { active: false, redirectLink: '', emailId: '' },
    })
  })

  it('reports all violations together', async () => {
    const body = {
      colour: 'red',
      captchaType: 'audio',
      btnColor: 'red} body{display:none',
      redirectLink: 'javascript:alert(1)',
    }
    const { status, error } = await world.call('createSignupForm', { body })
    expect(status).toBe(400)
    for (const part of [
      'Missing required field: name',
      'Unexpected field: colour',
      'captchaType',
      'btnColor',
      'redirectLink',
    ])
      expect(error?.message).toContain(part)
  })

  it('rejects a property without a custom field', async () => {
    const body = { name: 'Newsletter', propertiesStyle: { shoeSize: { show: true }, name: { required: true } } }
    expect(await world.call('createSignupForm', { body })).toMatchObject({
      status: 400,
      error: { message: 'Unexpected field: propertiesStyle.shoeSize' },
    })
  })

  it('returns 404 for an email or list of another project', async () => {
    for (const fields of [{ doubleOptIn: { active: true, emailId: nowhere } }, { subscriberListIds: [nowhere] }])
      expect((await world.call('createSignupForm', { body: { name: 'Newsletter', ...fields } })).status).toBe(404)
  })

  it('rejects a double opt-in whose email has no {{verifyLink}}', async () => {
    const body = { name: 'Newsletter', doubleOptIn: { active: true, emailId: await emailWith('Hello') } }
    expect(await world.call('createSignupForm', { body })).toMatchObject({
      status: 400,
      error: { message: 'doubleOptIn.emailId: the content of the email must include {{verifyLink}}' },
    })
  })
})

describe('a challenge’s secret key', () => {
  it('is never returned, except for a hint', async () => {
    const form = await made({ challengeSecretKey: secret })
    const read = [
      form,
      (await world.call('getSignupForm', { params: { id: form._id } })).result,
      (await world.call('listSignupForms')).result,
      (await world.call('updateSignupForm', { params: { id: form._id }, body: { name: 'Other' } })).result,
    ]
    for (const one of read) {
      expect(JSON.stringify(one)).toContain('"challengeSecretKeyHint":"0x**…**ey"')
      expect(JSON.stringify(one)).not.toContain(secret)
    }
  })

  it('is sealed in the store', async () => {
    const { _id } = await made({ challengeSecretKey: secret })
    const stored = await world.ports.repositories.signupForms.get({ _id })
    expect(JSON.stringify(stored)).not.toContain(secret)
    expect(world.ports.secrets.open(stored?.challengeSecretKey ?? '')).toBe(secret)
  })

  it('is removed by an empty text', async () => {
    const { _id } = await made({ challengeSecretKey: secret })
    const { result } = await world.call('updateSignupForm', { params: { id: _id }, body: { challengeSecretKey: '' } })
    expect(result.challengeSecretKeyHint).toBeUndefined()
  })
})

describe('updateSignupForm', () => {
  it('changes only the given fields', async () => {
    const form = await made({ btnLabel: 'Join', propertiesStyle: { city: { required: true } } })
    const { status, result } = await world.call('updateSignupForm', {
      params: { id: form._id },
      body: { successMessage: 'Welcome' },
    })
    expect(status).toBe(200)
    expect(result).toEqual({ ...form, successMessage: 'Welcome', updatedAt: result.updatedAt })
  })

  it('replaces doubleOptIn as a whole, and rejects its _id', async () => {
    const { _id, doubleOptIn } = await made({
      doubleOptIn: { active: true, emailId: confirmation, redirectLink: shop },
    })
    const change = (body: object) => world.call('updateSignupForm', { params: { id: _id }, body })
    expect((await change({ doubleOptIn })).error?.message).toContain('Unexpected field: doubleOptIn._id')
    expect((await change({ doubleOptIn: { active: false } })).result.doubleOptIn).toMatchObject({
      active: false,
      emailId: '',
      redirectLink: '',
    })
  })

  it('checks the double opt-in like createSignupForm', async () => {
    const { _id } = await made()
    const change = async (emailId: string) => {
      const body = { doubleOptIn: { active: true, emailId } }
      return (await world.call('updateSignupForm', { params: { id: _id }, body })).status
    }
    expect(await change(nowhere)).toBe(404)
    expect(await change(await emailWith('Hello'))).toBe(400)
    expect(await change('')).toBe(400)
    expect(await change(confirmation)).toBe(200)
  })
})

describe('deleteSignupForm', () => {
  it('returns the form, and keeps the subscriptions', async () => {
    const form = await aForm()
    await submit(form._id, { email: 'stays@example.com' })
    expect(await world.call('deleteSignupForm', { params: { id: form._id } })).toMatchObject({
      status: 200,
      result: form,
    })
    expect((await world.call('getSignupForm', { params: { id: form._id } })).status).toBe(404)
    expect(await statusOn(world.project.list._id, 'stays@example.com')).toBe('active')
  })
})

describe('deleteTransactionalEmail', () => {
  it('is refused while a form uses it for its double opt-in', async () => {
    const id = await emailWith('{{verifyLink}}')
    const form = await made({ name: 'Footer', doubleOptIn: { active: true, emailId: id } })
    expect(await world.call('deleteTransactionalEmail', { params: { id } })).toMatchObject({
      status: 405,
      error: { message: 'The email is used for the double opt-in of the form Footer.' },
    })
    await world.call('deleteSignupForm', { params: { id: form._id } })
    expect((await world.call('deleteTransactionalEmail', { params: { id } })).status).toBe(200)
  })
})

describe('getSignupFormEmbed', () => {
  it('returns one HTML file as an attachment', async () => {
    const { _id } = await made()
    const url = `${world.client.base}/v1/projectId/${world.project.project._id}/signup-forms/${_id}/embed`
    const { status, headers } = await fetch(url, { headers: { authorization: `Bearer ${world.project.key}` } })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-disposition')).toBe(`attachment; filename=signup-form-${_id}.html`)
  })

  it('refers to no server but this one', async () => {
    const { _id } = await made()
    const { filename, content } = (await world.call('getSignupFormEmbed', { params: { id: _id } })).result
    expect(filename).toBe(`signup-form-${_id}.html`)
    const addresses = content.match(/https?:\/\/[^"'\s;)]+/g) ?? []
    expect(new Set(addresses)).toEqual(new Set([world.ports.settings.publicUrl]))
    expect(content).not.toMatch(/<(link|script|img|iframe)[^>]+(src|href)=/)
  })
})

describe('submitSignupForm', () => {
  it('subscribes to every list of the form, and returns where to redirect', async () => {
    const second = (await world.call('createSubscriberList', { body: { name: 'Offers' } })).result._id
    const lists = [world.project.list._id, second]
    const { _id } = await aForm({ subscriberListIds: lists, redirectLink: `${shop}/thanks` })
    expect(await submit(_id, { email: 'Ada@example.com', name: 'Ada' })).toMatchObject({
      status: 201,
      result: { success: true, redirectTo: `${shop}/thanks` },
    })
    for (const list of lists) expect(await statusOn(list, 'ada@example.com')).toBe('active')
    expect((await world.call('getContact', { params: { email: 'ada@example.com' } })).result).toMatchObject({
      email: 'Ada@example.com',
      name: 'Ada',
    })
  })

  it('returns an empty redirectTo without a redirectLink, readable by the page', async () => {
    const { result, headers } = await submit((await aForm())._id, { email: 'grace@example.com' })
    expect(result).toEqual({ success: true, redirectTo: '' })
    expect(headers.get('access-control-allow-origin')).toBe(shop)
  })

  it('accepts no key instead of a whitelisted Origin', async () => {
    const { _id } = await aForm()
    const authorization = `Bearer ${world.project.key}`
    for (const headers of [{ authorization }, { authorization, origin: 'https://evil.example' }])
      expect((await submit(_id, { email: 'key@example.com' }, headers)).status).toBe(403)
  })

  it('rejects an invalid address, and fields that the form does not have', async () => {
    const { _id } = await aForm({ propertiesStyle: { city: {} } })
    expect(await submit(_id, { email: 'nobody', plan: 'gold', tags: ['vip'], data: {} })).toMatchObject({ status: 400 })
    const { error } = await submit(_id, { email: 'nobody', plan: 'gold', status: 'active' })
    for (const part of ['Invalid email format', 'Unexpected field: plan', 'Unexpected field: status'])
      expect(error?.message).toContain(part)
  })

  it('stores the form’s properties, and requires the required ones', async () => {
    const { _id } = await aForm({
      propertiesStyle: { city: { required: true }, name: { required: true }, plan: { show: false, required: true } },
    })
    expect((await submit(_id, { email: 'city@example.com', city: '' })).error?.message).toBe(
      'Missing required field: city; Missing required field: name',
    )
    expect((await submit(_id, { email: 'city@example.com', city: 'Wien', name: 'C' })).status).toBe(201)
    expect((await world.call('getContact', { params: { email: 'city@example.com' } })).result).toMatchObject({
      city: 'Wien',
    })
  })

  it('requires acceptance of terms that are shown', async () => {
    const { _id } = await aForm({ termsAndConditions: { show: true } })
    for (const termsAccepted of [undefined, false])
      expect(await submit(_id, { email: 'terms@example.com', termsAccepted })).toMatchObject({
        status: 400,
        error: { message: 'termsAccepted: the terms have to be accepted' },
      })
    expect((await submit(_id, { email: 'terms@example.com', termsAccepted: true })).status).toBe(201)
  })

  it('rejects a form without lists', async () => {
    expect(await submit((await made({ captchaType: 'none' }))._id, { email: 'list@example.com' })).toMatchObject({
      status: 405,
      error: { message: 'The form has no list to subscribe to.' },
    })
  })

  it('returns the same for new, subscribed, unverified, unsubscribed, suppressed and bounced addresses', async () => {
    const doubleOptIn = { active: true, emailId: confirmation }
    const fields = { name: 'Asking', doubleOptIn }
    const { _id: list } = (await world.call('createSubscriberList', { body: fields })).result
    const is = (email: string, status: string) => ({ email, status })
    for (const { email, status } of [
      is('on@example.com', 'active'),
      is('asked@example.com', 'unverified'),
      is('gone@example.com', 'active'),
    ])
      await world.call('subscribe', { params: { id: list }, body: { email, status } })
    await world.call('updateSubscriber', {
      params: { id: list, email: 'gone@example.com' },
      body: { status: 'unsubscribed' },
    })
    await world.call('createContact', { body: { email: 'known@example.com' } })
    for (const reason of ['complaint', 'bounce'])
      await world.call('createSuppression', { body: { email: `${reason}@example.com`, reason } })

    for (const form of [await aForm({ subscriberListIds: [list] }), await aForm()]) {
      const whole = async (name: string) => {
        const response = await fetch(`${world.client.base}/v1/signup-forms/${form._id}`, {
          method: 'POST',
          headers: { origin: shop, 'content-type': 'application/json' },
          body: JSON.stringify({ email: `${name}@example.com`, name: 'Ada' }),
        })
        const headers = [...response.headers].filter(([key]) => key !== 'date' && !key.startsWith('x-ratelimit'))
        return { status: response.status, headers, text: await response.text() }
      }
      const first = await whole('new')
      expect(first.status).toBe(201)
      for (const name of ['new', 'ON', 'asked', 'gone', 'known', 'complaint', 'bounce'])
        expect([name, await whole(name)]).toEqual([name, first])
    }
    expect((await world.call('getContact', { params: { email: 'complaint@example.com' } })).status).toBe(404)
    expect((await world.call('getContact', { params: { email: 'on@example.com' } })).result.name).toBe('Ada')
  })
})

describe('submitSignupForm with a CAPTCHA', () => {
  const refused = { status: 400, error: { message: 'Invalid CAPTCHA. Please try again.' } }

  it('accepts the picture’s text once', async () => {
    const { _id } = await aForm({ captchaType: undefined })
    const solution = await solvedCaptcha()
    expect((await submit(_id, { email: 'one@example.com', ...solution })).status).toBe(201)
    expect(await submit(_id, { email: 'two@example.com', ...solution })).toMatchObject(refused)
  })

  it('rejects a wrong or missing text', async () => {
    const { _id } = await aForm({ captchaType: 'svg', showCaptcha: false })
    const { captchaProbe } = await solvedCaptcha()
    for (const wrong of [{}, { captchaText: 'NO', captchaProbe }, { captchaText: 'NO', captchaProbe: 'x.y' }])
      expect(await submit(_id, { email: 'robot@example.com', ...wrong })).toMatchObject(refused)
  })

  it('does not use it up when another field is invalid', async () => {
    const { _id } = await aForm({ captchaType: 'svg' })
    const solution = await solvedCaptcha()
    expect((await submit(_id, { email: 'oops', ...solution })).status).toBe(400)
    expect((await submit(_id, { email: 'oops@example.com', ...solution })).status).toBe(201)
  })

  it('requires none if showCaptcha is false and captchaType is not set', async () => {
    const { _id } = await aForm({ captchaType: undefined, showCaptcha: false })
    expect((await submit(_id, { email: 'free@example.com' })).status).toBe(201)
  })
})

describe('submitSignupForm with a challenge', () => {
  const refused = { status: 400, error: { message: 'Invalid CAPTCHA. Please try again.' } }

  it('accepts only a token that the provider reports as solved', async () => {
    const { _id } = await aForm({ captchaType: 'challenge', challengeSecretKey: secret })
    for (const wrong of [{}, { challengeToken: '' }, { challengeToken: 'guessed' }, await solvedCaptcha()])
      expect(await submit(_id, { email: 'challenged@example.com', ...wrong })).toMatchObject(refused)
    expect((await submit(_id, { email: 'challenged@example.com', challengeToken: 'solved' })).status).toBe(201)
  })

  it('refuses everybody while the provider does not respond, and logs a warning', async () => {
    const { _id } = await aForm({ captchaType: 'challenge', challengeSecretKey: 'a-key-of-nobody' })
    expect(await submit(_id, { email: 'down@example.com', challengeToken: 'solved' })).toMatchObject(refused)
    expect(world.lines.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { signupForm: _id } }])
  })

  it('refuses everybody while one of the two keys is missing, and says which', async () => {
    const { _id } = await aForm({ captchaType: 'challenge', challengeSiteKey: 'site' })
    expect(await submit(_id, { email: 'keyless@example.com', challengeToken: 'solved' })).toMatchObject({
      status: 405,
      error: { message: 'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.' },
    })
  })
})

describe('submitSignupForm with a proof of work', () => {
  const refused = { status: 400, error: { message: 'Invalid CAPTCHA. Please try again.' } }
  const challengeFor = async (signupFormId: string) =>
    (await world.client.call('getChallenge', { query: { signupFormId } })).result
  const worked = async (signupFormId: string) => solvedChallenge(await challengeFor(signupFormId))
  const changed = (token: string, change: object) => btoa(JSON.stringify({ ...JSON.parse(atob(token)), ...change }))

  it('accepts the proof once', async () => {
    const { _id } = await aForm({ captchaType: 'challenge' })
    const challengeToken = await worked(_id)
    expect((await submit(_id, { email: 'worker@example.com', challengeToken })).status).toBe(201)
    expect(await submit(_id, { email: 'worker-2@example.com', challengeToken })).toMatchObject(refused)
    expect((await world.call('getContact', { params: { email: 'worker-2@example.com' } })).status).toBe(404)
  })

  it('rejects a missing or forged proof, and a CAPTCHA solution', async () => {
    const { _id } = await aForm({ captchaType: 'challenge' })
    const token = await worked(_id)
    for (const challengeToken of [
      undefined,
      '',
      'solved',
      changed(token, { number: 501 }),
      changed(token, { salt: 'x' }),
    ])
      expect(await submit(_id, { email: 'lazy@example.com', challengeToken })).toMatchObject(refused)
    expect(await submit(_id, { email: 'lazy@example.com', ...(await solvedCaptcha()) })).toMatchObject(refused)
  })

  it('rejects another form’s proof', async () => {
    const [one, other] = [await aForm({ captchaType: 'challenge' }), await aForm({ captchaType: 'challenge' })]
    const challengeToken = await worked(one._id)
    expect(await submit(other._id, { email: 'elsewhere@example.com', challengeToken })).toMatchObject(refused)
    expect((await submit(one._id, { email: 'elsewhere@example.com', challengeToken })).status).toBe(201)
  })

  it('rejects a proof after ten minutes', async () => {
    const { _id } = await aForm({ captchaType: 'challenge' })
    const challengeToken = await worked(_id)
    world.clock.advance(10 * 60_000)
    expect(await submit(_id, { email: 'late@example.com', challengeToken })).toMatchObject(refused)
  })

  it('does not use it up when another field is invalid', async () => {
    const { _id } = await aForm({ captchaType: 'challenge' })
    const challengeToken = await worked(_id)
    expect((await submit(_id, { email: 'oops', challengeToken })).status).toBe(400)
    expect((await submit(_id, { email: 'oops-worked@example.com', challengeToken })).status).toBe(201)
  })

  it('requires the provider’s token once the form has keys', async () => {
    const { _id } = await aForm({ captchaType: 'challenge' })
    const body = { challengeSiteKey: 'site', challengeSecretKey: secret }
    await world.call('updateSignupForm', { params: { id: _id }, body })
    const challengeToken = await worked(_id)
    expect(await submit(_id, { email: 'provided@example.com', challengeToken })).toMatchObject(refused)
  })
})

describe('submitSignupForm with a double opt-in', () => {
  const verifyLinkTo = async (email: string) => {
    await world.core.worker.runUntilIdle()
    const mails = world.mailer.sent.filter(({ to }) => to === email)
    const text = mails.at(-1)?.mime.replace(/=\r\n/g, '').replaceAll('=3D', '=').replaceAll('&#x3D;', '=') ?? ''
    const link = /https:\/\/posthorn\.example\.com\/v1\/verify\?token=[\w.-]+/.exec(text)?.[0] ?? ''
    return { count: mails.length, link: link.replace('https://posthorn.example.com', world.client.base) }
  }

  const strict = async (fields: object = {}) => {
    const lists = await Promise.all(
      ['A', 'B'].map(async (name) => (await world.call('createSubscriberList', { body: { name } })).result._id),
    )
    const doubleOptIn = { active: true, emailId: confirmation, redirectLink: `${shop}/confirmed` }
    return { lists, form: await aForm({ subscriberListIds: lists, doubleOptIn, ...fields }) }
  }

  const resend = (subscriberListId: string, email: string) =>
    world.call('resendVerificationEmail', { params: { subscriberListId, email } })

  it('sends one mail whose link confirms every list, and redirects to the form’s page', async () => {
    const { lists, form } = await strict({ redirectLink: `${shop}/check-your-mail` })
    const email = 'optin@example.com'
    expect((await submit(form._id, { email })).result.redirectTo).toBe(`${shop}/check-your-mail`)
    for (const list of lists) expect(await statusOn(list, email)).toBe('unverified')

    const { count, link } = await verifyLinkTo(email)
    expect(count).toBe(1)
    for (const method of ['HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200)
    for (const list of lists) expect(await statusOn(list, email)).toBe('unverified')
    const { status, headers } = await fetch(link, { method: 'POST', redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([303, `${shop}/confirmed`])
    for (const list of lists) expect(await statusOn(list, email)).toBe('active')
  })

  it('resends its mail while the contact is unverified, and not afterwards', async () => {
    const { lists, form } = await strict()
    const [first = '', second = ''] = lists
    const email = 'again@example.com'
    await submit(form._id, { email })
    await verifyLinkTo(email)

    world.clock.advance(10 * 60_000)
    expect(await resend(second, email)).toMatchObject({ status: 200, result: { success: true } })
    const { count, link } = await verifyLinkTo(email)
    expect(count).toBe(2)
    await fetch(link, { method: 'POST', redirect: 'manual' })
    for (const list of lists) expect(await statusOn(list, email)).toBe('active')
    expect(await resend(first, email)).toMatchObject({
      status: 400,
      error: { message: 'The contact is not unverified on this list.' },
    })
  })

  it('resends its mail when the form is submitted again, but not within ten minutes', async () => {
    const { lists, form } = await strict()
    const email = 'impatient@example.com'
    const countAfter = async (minutes: number) => {
      world.clock.advance(minutes * 60_000)
      expect((await submit(form._id, { email })).status).toBe(201)
      return (await verifyLinkTo(email)).count
    }
    expect([await countAfter(0), await countAfter(9), await countAfter(1)]).toEqual([1, 1, 2])
    await fetch((await verifyLinkTo(email)).link, { method: 'POST', redirect: 'manual' })
    for (const list of lists) expect(await statusOn(list, email)).toBe('active')
    expect(await countAfter(10)).toBe(2)
  })

  it('sends one mail for several lists with their own double opt-in, and its link confirms all', async () => {
    const doubleOptIn = { active: true, emailId: confirmation }
    const lists = await Promise.all(
      ['C', 'D'].map(
        async (name) => (await world.call('createSubscriberList', { body: { name, doubleOptIn } })).result._id,
      ),
    )
    const form = await aForm({ subscriberListIds: [...lists, world.project.list._id] })
    const email = 'several@example.com'
    await submit(form._id, { email })
    const { count, link } = await verifyLinkTo(email)
    expect(count).toBe(1)
    await fetch(link, { method: 'POST', redirect: 'manual' })
    for (const list of lists) expect(await statusOn(list, email)).toBe('active')
  })

  it('resends nothing once the form’s double opt-in is off', async () => {
    const { lists, form } = await strict()
    await submit(form._id, { email: 'changed@example.com' })
    await world.call('updateSignupForm', { params: { id: form._id }, body: { doubleOptIn: { active: false } } })
    expect(await resend(lists[0] ?? '', 'changed@example.com')).toMatchObject({
      status: 400,
      error: { message: 'Double opt-in is not enabled for this list.' },
    })
  })

  it('does not let the visitor confirm without the link', async () => {
    const { lists, form } = await strict()
    const [list = ''] = lists
    await submit(form._id, { email: 'hasty@example.com' })
    const { status } = await world.client.call('updateSubscriberOfList', {
      params: { id: list, email: 'hasty@example.com' },
      body: { status: 'active' },
      headers: { origin: shop },
    })
    expect(status).toBe(405)
    expect(await statusOn(list, 'hasty@example.com')).toBe('unverified')
  })

  it('keeps an existing confirmed membership', async () => {
    const { lists, form } = await strict()
    const [first = '', second = ''] = lists
    await world.call('subscribe', { params: { id: first }, body: { email: 'half@example.com' } })
    expect((await submit(form._id, { email: 'half@example.com' })).status).toBe(201)
    expect([await statusOn(first, 'half@example.com'), await statusOn(second, 'half@example.com')]).toEqual([
      'active',
      'unverified',
    ])
  })
})
