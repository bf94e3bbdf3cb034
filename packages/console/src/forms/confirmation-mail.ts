import type { Language } from '../text/language-names.js'

type Words = {
  readonly subject: string
  readonly text: string
  readonly button: string
  readonly ignore: string
}

/** What a confirmation mail says. Visitors read it, so its language is theirs and not that of the console. */
export const confirmationWords: Readonly<Record<Language, Words>> = {
  en: {
    subject: 'Please confirm your subscription',
    text: 'Somebody, hopefully you, signed up with this address. Please confirm it.',
    button: 'Confirm',
    ignore: 'If it was not you, do nothing: without your confirmation you get no further mail.',
  },
  de: {
    subject: 'Bitte bestätigen Sie Ihre Anmeldung',
    text: 'Jemand, hoffentlich Sie, hat sich mit dieser Adresse angemeldet. Bitte bestätigen Sie das.',
    button: 'Bestätigen',
    ignore: 'Wenn Sie es nicht waren, tun Sie nichts: Ohne Ihre Bestätigung erhalten Sie keine weiteren E-Mails.',
  },
  fr: {
    subject: 'Veuillez confirmer votre inscription',
    text: 'Quelqu’un, vous sans doute, s’est inscrit avec cette adresse. Veuillez le confirmer.',
    button: 'Confirmer',
    ignore: 'Si ce n’était pas vous, ne faites rien : sans votre confirmation, vous ne recevrez plus de message.',
  },
  es: {
    subject: 'Confirme su suscripción',
    text: 'Alguien, esperamos que usted, se ha suscrito con esta dirección. Confírmelo, por favor.',
    button: 'Confirmar',
    ignore: 'Si no ha sido usted, no haga nada: sin su confirmación no recibirá más correos.',
  },
  it: {
    subject: 'Confermi la sua iscrizione',
    text: 'Qualcuno, speriamo lei, si è iscritto con questo indirizzo. Lo confermi, per favore.',
    button: 'Conferma',
    ignore: 'Se non è stato lei, non faccia nulla: senza la sua conferma non riceverà altri messaggi.',
  },
  nl: {
    subject: 'Bevestig uw aanmelding',
    text: 'Iemand, hopelijk u, heeft zich met dit adres aangemeld. Bevestig dat alstublieft.',
    button: 'Bevestigen',
    ignore: 'Was u het niet, doe dan niets: zonder uw bevestiging krijgt u geen mails meer.',
  },
  pt: {
    subject: 'Confirme a sua subscrição',
    text: 'Alguém, esperamos que tenha sido você, subscreveu com este endereço. Confirme, por favor.',
    button: 'Confirmar',
    ignore: 'Se não foi você, não faça nada: sem a sua confirmação não receberá mais mensagens.',
  },
  pl: {
    subject: 'Proszę potwierdzić zapis',
    text: 'Ktoś, miejmy nadzieję, że Ty, zapisał się z tym adresem. Prosimy o potwierdzenie.',
    button: 'Potwierdzam',
    ignore: 'Jeśli to nie Ty, nic nie rób: bez potwierdzenia nie otrzymasz więcej wiadomości.',
  },
}

/** The first language is for everybody whose own is unknown or not among them. */
const inLanguages = (languages: readonly Language[], textOf: (language: Language) => string): string => {
  const [first = 'en', ...others] = languages
  return others.reduceRight(
    (rest, language) => `{{#if (EQ contact.language "${language}")}}${textOf(language)}{{else}}${rest}{{/if}}`,
    textOf(first),
  )
}

const bodyIn = (language: Language): string => {
  const { text, button, ignore } = confirmationWords[language]
  const link =
    'display:inline-block;padding:12px 24px;border-radius:6px;background:#1f5fa8;color:#ffffff;text-decoration:none'
  return `
<div lang="${language}">
<p>${text}</p>
<p><a href="{{verifyLink}}" style="${link}">${button}</a></p>
<p style="color:#5a6472">${ignore}</p>
</div>
`
}

export const confirmationMail = (languages: readonly Language[]) => ({
  type: 'html' as const,
  subject: inLanguages(languages, (language) => confirmationWords[language].subject),
  document: `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1d2430">${inLanguages(languages, bodyIn)}</body>
</html>`,
})
