import { sesThreadModule } from '@posthorn/adapters-ses/thread'

/** Plain JavaScript, as a thread loads it: the mailer of Amazon SES, in a thread that ends when it is to send to a certain address. */
const { openMailer: open } = await import(sesThreadModule.href)

export const openMailer = (...given) => {
  const mailer = open(...given)
  return {
    ...mailer,
    send: (mail) => {
      if (mail.to.startsWith('ends')) process.exit(1)
      return mailer.send(mail)
    },
  }
}
