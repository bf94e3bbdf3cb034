import { MailerUnavailable } from '@posthorn/core'
import { afterEach, describe, expect, it } from 'vitest'
import { ownSesAccounts } from '../src/adapters/own-ses-accounts.js'

const access = {
  projectId: 'p1',
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIA-ONE', secretAccessKey: 'secret' },
}

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((accounts) => accounts.close()))
})

const accounts = () => {
  const own = ownSesAccounts(() => {})
  opened.push(own)
  return { sendOf: async (given: object = {}) => (await own.of({ ...access, ...given })).send, own }
}

describe('the mailer of a project’s own account', () => {
  it('is kept while its credentials stay, and opened anew when they change', async () => {
    const { sendOf } = accounts()
    const first = await sendOf()
    expect(await sendOf({ limit: 5 })).toBe(first)
    const changed = { accessKeyId: 'AKIA-TWO', secretAccessKey: 'secret' }
    expect(await sendOf({ credentials: changed })).not.toBe(first)
  })

  it('is another for each project and region', async () => {
    const { sendOf } = accounts()
    const sends = [await sendOf(), await sendOf({ projectId: 'p2' }), await sendOf({ region: 'us-east-1' })]
    expect(new Set(sends).size).toBe(3)
  })

  it('cannot be had for a role, and says what can be done', async () => {
    const { own } = accounts()
    const asked = own.of({ ...access, credentials: { roleArn: 'arn:aws:iam::123456789012:role/r' } })
    await expect(asked).rejects.toThrow(MailerUnavailable)
    await expect(asked).rejects.toThrow('Store an access key in cloudConfig instead')
  })
})
