import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import { encode } from 'nodemailer/lib/qp/index.js'
import PostalMime from 'postal-mime'
import { type EmailToPrepare, type MailToRender, prepareEmail } from '../../../src/mail/rendering.js'
import { RenderFailure } from '../../../src/mail/template/budget.js'
import { simpleMail, simpleTexts } from './simple-mail.js'

/** What was made of one mail, both ways; `reference` is undefined where Handlebars itself gives up. */
export type Compared = { readonly made: string; readonly reference: string | undefined }

const failed = 'It cannot be rendered.'

/** One email, prepared once, and each of its mails both ways. */
export const bothWays = async (email: EmailToPrepare, mails: readonly MailToRender[]): Promise<readonly Compared[]> => {
  const { render } = prepareEmail(email)
  const made = async (mail: MailToRender) => {
    try {
      return await render(mail)
    } catch (error) {
      if (error instanceof RenderFailure) return failed
      throw error
    }
  }
  const reference = (mail: MailToRender) => {
    try {
      return simpleMail(email, mail)
    } catch {
      return undefined
    }
  }
  return Promise.all(mails.map(async (mail) => ({ made: await made(mail), reference: reference(mail) })))
}

const lineEnds = (text: string) => text.replaceAll(/\r\n|\r|\n/g, '\r\n')

/** A mail as it travels, without its soft line breaks. */
const unfolded = (mime: string) => mime.replaceAll('=\r\n', '').replaceAll('=2E', '.')

/** Whether Nodemailer's encoder writes each text as it stands in the mail, but for where lines are broken, and for dots that begin one. */
export const nodemailerEncodesAlike = (email: EmailToPrepare, mail: MailToRender, mime: string): boolean => {
  const { text, html } = simpleTexts(email, mail)
  const body = unfolded(mime)
  return [text, ...(html === undefined ? [] : [html])].every((one) =>
    body.includes(`quoted-printable\r\n\r\n${encode(Buffer.from(lineEnds(one), 'utf8'))}\r\n`),
  )
}

/** A part that says nothing is left out by Nodemailer. */
const parsed = async (mime: string | Uint8Array) => {
  const { from, to, text, html } = await PostalMime.parse(mime)
  const said = (one: string | undefined) => lineEnds(one ?? '').trimEnd()
  return { from: from?.address, to: to?.map(({ address }) => address), text: said(text), html: said(html) }
}

/** What a mail program reads in our mail, and in the one that Nodemailer composes of the same texts. */
export const readBothWays = async (email: EmailToPrepare, mail: MailToRender, mime: string) => {
  const { subject, text, html } = simpleTexts(email, mail)
  const composed = await new MailComposer({
    from: { name: email.from.name, address: email.from.email },
    to: { name: mail.to.name, address: mail.to.email },
    subject,
    textEncoding: 'quoted-printable',
    text: lineEnds(text),
    ...(html !== undefined && { html: lineEnds(html) }),
  })
    .compile()
    .build()
  return { ours: await parsed(mime), theirs: await parsed(composed) }
}
