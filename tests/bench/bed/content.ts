import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

const plans = ['free', 'pro', 'team']

/** A contact as the audience has it: values differ, so that no mail is like another. */
export const contactRow = (n: number): string =>
  `reader${n}@example.com,Reader ${n},City ${n % 500},${plans[n % plans.length]},${n % 90}`

/** Writes a CSV of so many contacts, from that number on. */
export const writeAudience = async (file: string, contacts: number, from = 0): Promise<void> => {
  const out = createWriteStream(file)
  out.write('email,name,city,plan,age\n')
  for (let n = from; n < from + contacts; n += 1)
    if (!out.write(`${contactRow(n)}\n`)) await new Promise<void>((resume) => out.once('drain', resume))
  out.end()
  await finished(out)
}

const personal =
  '<p style="margin:0 0 1em">Dear {{contact.name}} in {{contact.city}}, this is a paragraph of an ordinary length that says nothing of note.</p>\n'
const fixed = '<p>Words that are the same for everybody, as most of a newsletter is, line after line.</p>\n'

/** Two that all mails have alike, and one with a value of its own. */
const links = [
  '<p><a href="https://www.example.com/offers/today">Offers</a></p>',
  '<p><a href="https://www.example.com/news?from=mail">News</a></p>',
  '<p><a href="https://www.example.com/plans/{{contact.plan}}">Your plan</a></p>',
]

const documentOf = (more: string) =>
  `<html><body>${personal.repeat(3)}${fixed.repeat(46)}${more}<p><a href="{{unsubscribeLink}}">Unsubscribe</a></p></body></html>`

/** A mail of some 11 kB as it leaves: HTML with personalised lines, and the text part that is made of it. */
export const newsletter = { subject: 'News for {{contact.name}}', type: 'html', document: documentOf('') } as const

/** As `newsletter`, with three links that tell who follows them; both have the image that tells of opens. */
export const trackedNewsletter = { ...newsletter, document: documentOf(`${links.join('\n')}\n`) } as const

/** What a campaign says. */
export type Newsletter = Readonly<Record<keyof typeof newsletter, string>>
