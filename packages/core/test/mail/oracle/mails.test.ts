import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bothWays, nodemailerEncodesAlike, readBothWays } from './compared.js'
import { mailings } from './random-mails.js'

describe('a mail rendered by the fast path', () => {
  it('is byte for byte the slowly rendered mail, without lines that begin with a dot', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(mailings, async ({ email, mails }) => {
        for (const { made, reference } of await bothWays(email, mails)) {
          if (reference === undefined) continue
          expect(made).toBe(reference)
          expect(made).toMatch(/^(?:(?:[^\r\n.][^\r\n]*)?\r\n)*$/)
          compared += 1
        }
      }),
      { numRuns: 500 },
    )
    expect(compared).toBeGreaterThan(500)
  })

  it('has the same quoted-printable as Nodemailer’s', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(mailings, async ({ email, mails: [mail] }) => {
        const [one] = mail ? await bothWays(email, [mail]) : []
        if (!mail || one?.reference === undefined) return true
        compared += 1
        return nodemailerEncodesAlike(email, mail, one.made)
      }),
      { numRuns: 300 },
    )
    expect(compared).toBeGreaterThan(200)
  })

  it('parses to the same as Nodemailer’s mail of the same texts', async () => {
    await fc.assert(
      fc.asyncProperty(mailings, async ({ email, mails: [mail] }) => {
        const [one] = mail ? await bothWays(email, [mail]) : []
        if (!mail || one?.reference === undefined) return
        const { ours, theirs } = await readBothWays(email, mail, one.made)
        expect(ours).toEqual(theirs)
      }),
      { numRuns: 100 },
    )
  })
})
