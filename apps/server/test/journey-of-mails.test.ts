import { expect, it } from 'vitest'
import { journeyOfMails } from './journey-of-mails.js'

it('what becomes of mails is suppressed, counted and told once on SQLite, with its receiver down and however often it is told', async () => {
  await expect(journeyOfMails({ store: { POSTHORN_STORE: 'sqlite' }, returnsAfter: 500 })).resolves.toBeUndefined()
})
