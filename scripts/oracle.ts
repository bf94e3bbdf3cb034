import fc from 'fast-check'
import { bothWays, nodemailerEncodesAlike, readBothWays } from '../packages/core/test/mail/oracle/compared.js'
import { mailings } from '../packages/core/test/mail/oracle/random-mails.js'

/** `npm run oracle -- <mails> [seed]`: makes so many random mails the fast way and the slow one, and ends with 1 at the first that differs. */
const wanted = Number(process.argv[2] ?? 10_000)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31)
/** To compose and to parse a mail takes longer than all the rest: one in so many. */
const readOneIn = 50

let compared = 0
let passedOver = 0
let read = 0

const assertSame = (what: string, made: unknown, reference: unknown, of: unknown) => {
  const [ours, theirs] = [JSON.stringify(made), JSON.stringify(reference)]
  if (ours === theirs) return
  console.error(`${what} differ; seed ${seed}\n${JSON.stringify(of)}\n\n${ours}\n\n${theirs}`)
  process.exit(1)
}

console.log(`${wanted} random mails, seed ${seed}`)
for (let round = 0; compared < wanted; round += 1) {
  for (const { email, mails } of fc.sample(mailings, { numRuns: 500, seed: seed + round })) {
    const made = await bothWays(email, mails)
    for (const [index, { made: mime, reference }] of made.entries()) {
      const mail = mails[index]
      if (mail === undefined || reference === undefined) {
        passedOver += 1
        continue
      }
      assertSame('The bytes', mime, reference, { email, mail })
      assertSame('The encodings', nodemailerEncodesAlike(email, mail, mime), true, { email, mail })
      compared += 1
      if (compared % readOneIn !== 0) continue
      const { ours, theirs } = await readBothWays(email, mail, mime)
      assertSame('The mails as they are read', ours, theirs, { email, mail })
      read += 1
    }
  }
  console.log(`${compared} the same`)
}
console.log(
  `${compared} mails are the same byte for byte; Nodemailer encodes each alike, and ${read} that it composed read the same. ${passedOver} templates that Handlebars itself gives up on were passed over.`,
)
