import { languages } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { anAccount, password, tokenIn, visitor } from './an-account.js'

const email = 'olga@example.com'

const start = async () => {
  const world = await anAccount({ mailsLinks: true })
  const { core, clock, mailer } = world
  /** What was sent, decoded, after the engine has run. */
  const mails = async () => {
    await core.worker.start()
    await clock.pass(1_000)
    await core.worker.stop()
    return mailer.sent.map(({ to, from, mime }) => ({
      to,
      from,
      text: mime
        .replace(/=\r\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    }))
  }
  const reset = async (address: string) => (await world.people.requestReset({ email: address }, visitor())).mailed
  return { ...world, mails, reset }
}

const linkIn = (text = '') => /https:\/\/posthorn\.example\.com\/console\/\w+#[\w-]+/.exec(text)?.[0]

describe('an invitation', () => {
  it('is mailed from the project’s sender, and the inviter does not see the link', async () => {
    const { people, olga, scopeOf, mails } = await start()
    const invited = await people.invite(await scopeOf(olga), { email: 'eve@example.com', role: 'writer' })
    expect(invited.link).toBeUndefined()
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: 'eve@example.com' })
    expect(mail?.text).toContain('post@example.com')
    const accepted = people.accept({ token: tokenIn(linkIn(mail?.text)), name: 'Eve', password }, visitor())
    await expect(accepted).resolves.toMatchObject({ person: { email: 'eve@example.com' } })
  })

  it('carries nothing that the inviter wrote, and no tracking', async () => {
    const { people, olga, scopeOf, mails } = await start()
    await people.changeMe(olga, { name: 'Win a prize {{link}} at evil.example' })
    await people.invite(await scopeOf(olga), { email: 'eve@example.com', role: 'writer' })
    const [mail] = await mails()
    expect(mail?.text).not.toContain('evil')
    expect(mail?.text.match(/https:\/\/\S+/g)).toHaveLength(1)
  })

  it('is in the language of the inviter', async () => {
    const { people, olga, scopeOf, mails } = await start()
    await people.changeMe(olga, { language: 'de' })
    await people.invite(await scopeOf(olga), { email: 'eve@example.com', role: 'writer' })
    const words = languages.de.invitationMail.split(/\s/).at(-1) ?? ''
    expect((await mails())[0]?.text).toContain(words)
  })

  it('is shown to the inviter if the address is suppressed, or nothing can be sent', async () => {
    const { people, core, olga, sample, scopeOf, mails } = await start()
    const scope = await scopeOf(olga)
    await core.suppressions.create(sample.scope, { email: 'eve@example.com' })
    expect(await people.invite(scope, { email: 'eve@example.com', role: 'writer' })).toHaveProperty('link')
    await core.restriction.restrict(sample.project._id, { reason: 'Bounces' })
    expect(await people.invite(scope, { email: 'dan@example.com', role: 'writer' })).toHaveProperty('link')
    expect(await mails()).toEqual([])
  })
})

describe('a forgotten password', () => {
  it('is replaced by a mailed link', async () => {
    const { people, reset, mails } = await start()
    await reset('OLGA@example.com')
    const [mail] = await mails()
    expect(mail?.to).toBe(email)
    const given = { token: tokenIn(linkIn(mail?.text)), password: 'another long password' }
    await people.resetPassword(given, visitor())
    await expect(people.signIn({ email, password: 'another long password' }, visitor())).resolves.toHaveProperty(
      'token',
    )
    await expect(people.resetPassword(given, visitor())).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  it('changes nothing until the link is used', async () => {
    const { people, olga, reset } = await start()
    await reset(email)
    expect(await people.open(olga.token)).toBeDefined()
    await expect(people.signIn({ email, password }, visitor())).resolves.toHaveProperty('token')
  })

  it('does not replace a second factor', async () => {
    const { people, olga, withFactor, reset, mails } = await start()
    const { code } = await withFactor(olga)
    await reset(email)
    const token = tokenIn(linkIn((await mails())[0]?.text))
    const attempt = (given: object) =>
      people.resetPassword({ token, password: 'another long password', ...given }, visitor())
    await expect(attempt({})).rejects.toMatchObject({ code: 'second-factor-required' })
    await expect(attempt({ code: '000000' })).rejects.toMatchObject({ kind: 'unauthenticated' })
    await expect(attempt({ code: code() })).resolves.toMatchObject({ person: { totp: true } })
  })

  it('mails nothing to an unknown address', async () => {
    const { reset, mails, ports } = await start()
    await reset('nobody@example.com')
    expect(await mails()).toEqual([])
    expect(await ports.repositories.personLinks.get({ purpose: 'reset' })).toBeUndefined()
  })

  it('mails nothing to members of several accounts, each of which could read it', async () => {
    const { people, core, reset, mails } = await start()
    const { _id } = await core.accounts.create({ name: 'Other' })
    await core.projects.create({ accountId: _id, name: 'Other' })
    const { url } = await people.commands.create(
      { email: 'eve@example.com', name: 'Eve' },
      { accountId: _id, role: 'owner' },
    )
    const eve = await people.resetPassword({ token: tokenIn(url), password }, visitor())
    const project = (await people.projectsOf(eve))[0]?._id ?? ''
    const { link } = await people.invite(await people.scopeIn(eve, project, 'people.edit'), {
      email,
      role: 'owner',
      within: 'account',
    })
    await people.accept({ token: tokenIn(link), password }, visitor())
    await reset(email)
    expect(await mails()).toEqual([])
  })

  it('keeps no link that could not be mailed', async () => {
    const { core, sample, reset, ports } = await start()
    await core.restriction.restrict(sample.project._id, { reason: 'Bounces' })
    await reset(email)
    expect(await ports.repositories.personLinks.get({ purpose: 'reset' })).toBeUndefined()
  })

  it.each([email, 'nobody@example.com'])('is limited to three mails for one address: %s', async (address) => {
    const { reset, clock } = await start()
    for (let n = 0; n < 3; n += 1) await reset(address)
    await expect(reset(address)).rejects.toMatchObject({ kind: 'busy' })
    clock.advance(20 * 60_000)
    await expect(reset(address)).resolves.toBeUndefined()
  })

  it('is not mailed by an installation that mails no links', async () => {
    const { people, ports } = await anAccount()
    expect(people.mailsLinks).toBe(false)
    await (await people.requestReset({ email }, visitor())).mailed
    expect(await ports.repositories.personLinks.get({ purpose: 'reset' })).toBeUndefined()
  })
})
