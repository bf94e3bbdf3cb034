import { expect, it } from 'vitest'
import { journeyOfMails } from './journey-of-mails.js'

it('outcomes are suppressed, counted and published once on SQLite, with the receiver down and repeated reports', async () => {
  await expect(journeyOfMails({ store: { POSTHORN_STORE: 'sqlite' }, returnsAfter: 500 })).resolves.toBeUndefined()
})
