import { domainOf } from '../../kernel/email-address.js'
import { figureSubject } from './figure.js'

/** Domains of free mailboxes, by who runs them. A company's own domain belongs to nobody here: only a DNS look-up would tell. */
const domains = {
  gmail: ['gmail.com', 'googlemail.com'],
  microsoft: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'passport.com', 'windowslive.com'],
  yahoo: ['yahoo.com', 'ymail.com', 'rocketmail.com', 'aol.com', 'aim.com', 'verizon.net'],
  apple: ['icloud.com', 'me.com', 'mac.com'],
  gmx: ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch', 'gmx.com', 'web.de', 'mail.com', 'email.com', '1und1.de', 'online.de'],
  telekom: ['t-online.de', 'magenta.de'],
  freenet: ['freenet.de'],
  orange: ['orange.fr', 'wanadoo.fr', 'voila.fr'],
  free: ['free.fr', 'aliceadsl.fr'],
  sfr: ['sfr.fr', 'neuf.fr', 'club-internet.fr'],
  laposte: ['laposte.net'],
  libero: ['libero.it', 'virgilio.it', 'iol.it', 'inwind.it'],
  proton: ['proton.me', 'protonmail.com', 'pm.me', 'protonmail.ch'],
  comcast: ['comcast.net'],
  wp: ['wp.pl', 'o2.pl', 'tlen.pl'],
  onet: ['onet.pl', 'op.pl', 'poczta.onet.pl', 'vp.pl'],
  interia: ['interia.pl', 'interia.eu'],
  ziggo: ['ziggo.nl', 'upcmail.nl', 'home.nl', 'casema.nl'],
  kpn: ['kpnmail.nl', 'planet.nl', 'hetnet.nl', 'xs4all.nl'],
  uol: ['uol.com.br', 'bol.com.br'],
  yandex: ['yandex.com', 'yandex.ru', 'ya.ru'],
  mailru: ['mail.ru', 'bk.ru', 'inbox.ru', 'list.ru'],
  seznam: ['seznam.cz', 'email.cz', 'post.cz'],
  tencent: ['qq.com', 'foxmail.com'],
  netease: ['163.com', '126.com', 'yeah.net'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Those with a domain in many countries, such as `hotmail.fr` and `yahoo.co.uk`. */
const national: readonly (readonly [RegExp, keyof typeof domains])[] = [
  [/^(?:outlook|hotmail|live|msn)\.(?:com?\.)?[a-z]{2}$/, 'microsoft'],
  [/^gmx\.(?:com?\.)?[a-z]{2}$/, 'gmx'],
  [/^(?:yahoo|aol|ymail)\.(?:com?\.)?[a-z]{2}$/, 'yahoo'],
]

export const mailboxProviders = [...(Object.keys(domains) as (keyof typeof domains)[]), 'other'] as const
export type MailboxProvider = (typeof mailboxProviders)[number]

const byDomain: ReadonlyMap<string, MailboxProvider> = new Map(
  Object.entries(domains).flatMap(([provider, own]) => own.map((domain) => [domain, provider as MailboxProvider])),
)

/** By the address alone. */
export const mailboxProviderOf = (email: string): MailboxProvider => {
  const domain = domainOf(email)
  return byDomain.get(domain) ?? national.find(([pattern]) => pattern.test(domain))?.[1] ?? 'other'
}

/** What the mail counts in, with the recipient's mailbox provider; nothing if it counts in nothing. */
export const withMailboxProviderSubject = (
  subjects: readonly string[],
  projectId: string,
  email: string,
): readonly string[] =>
  subjects.length === 0 ? subjects : [...subjects, figureSubject.provider(projectId, mailboxProviderOf(email))]
