/**
 * `policy`: about content or origin. `message`: this mail. `full`: the mailbox. `system`: the server or its route. `gone`: permanently. `fine`: no
 * refusal.
 */
export type RefusalSubject = 'sender' | 'rate' | 'policy' | 'message' | 'full' | 'system' | 'gone' | 'fine' | 'other'

type PhraseClass = { readonly name: string; readonly subject: RefusalSubject; readonly phrases: string }

/**
 * The first class with a matching phrase decides. Classes unrelated to the address come before `gone`, so a text that mentions both never suppresses.
 * Sources: docs/bounces.md. A phrase matches whole words regardless of case, punctuation and line breaks; `@`: any address; final `*`: rest of a
 * word.
 */
export const phraseClasses: readonly PhraseClass[] = [
  {
    name: 'no such file, loops',
    subject: 'system',
    phrases: `
      no such file, too many hops, hop count, mail loop*, routing loop*, mail for @ loops back`,
  },
  {
    name: 'sender',
    subject: 'sender',
    phrases: `
      sender address, sender rejected, sender denied, sender domain, sender verif*, sender unknown, sender not, sender
      is, sender refused, sender policy, sender id, sender reject*, sender s domain, sender does, sender doesn t, sender @, sender callout, return address,
      reply to address, from domain, header from, unknown sender, invalid sender,
      bad sender, envelope sender, envelope from, after mail from, from address, verify sender, verify the sender,
      verifying the sender, return path, reply to mail from, mail from command, from header, your domain, your server,
      your ip, your host, your isp, your network, your mail server, your mta, your email server, your ip address,
      originator, client host, client address, helo*, ehlo, reverse dns, ptr, rdns, cannot find your, domain of
      sender, sending domain, sending mta, sending server, sending ip, sending host, forged, spoof*, absender*, your
      account has, your account is`,
  },
  {
    name: 'rate',
    subject: 'rate',
    phrases: `
      too many, too much mail, too much email, too fast, too quickly, rate limit*, ratelimit*, rate control*,
      at a rate, unusual rate, mail rate, message rate, sending rate, throttl*, slow down, flood*, daily limit,
      hourly limit, sending limit, message limit, daily quota, hourly quota, sending quota, daily message quota,
      daily sending quota, daily mail quota, for today, per day, per hour, per minute, limit exceeded,
      exceeded the limit, limit reached, limit has been reached, messages per, recipients per, maximum number of,
      too high volume, unexpected volume, traffic volume`,
  },
  {
    name: 'policy and content',
    subject: 'policy',
    phrases: `
      spam*, antispam*, blacklist*, black list*, blocklist*, block list*, blocked, blocking, blocks, banned, dnsbl*,
      rbl*, dbl, sbl, xbl, pbl, uribl*, surbl*, barracuda*, senderbase*, cloudmark*, proofpoint, trustedsource,
      reputation, policy, policies, prohibit*, prohibition, spf, dkim, dmarc, domainkeys, virus*, malware, phish*,
      infected, greylist*, graylist*, whitelist*, white list*, allow list, allowlist*, relaying, relay access,
      recipient preferences, relay not, relay denied, to relay, relay for, no relay, relay mail, relay prohibited,
      relay operation, open relay, rcpthosts, not permitted, not authorized, not authorised, not allowed, not
      accepting mail from, permission, permissions, unauthenticated, unauthorized, authenticat*, require* authent*,
      access denied, restrict*, administrative*, by administrator, message content, content rejected, content filter*,
      bad content, contains a link, contains url, unsolicited, unwanted, junk, bulk, abuse, abusive, aup, acceptable
      use, suspicious, suspected, firewall, is listed, are listed, listed by, listed at, challenge, do not accept mail
      from, does not accept mail from, not accept email from, mail from this, refused by, rejected by filter,
      verification failed, tls, starttls, service refused, refuse to talk, no thanks, go away, security polic*,
      security reasons, will not accept delivery`,
  },
  {
    name: 'mailbox full',
    subject: 'full',
    phrases: `
      quota*, overquota, mailbox full, mailbox is full, full mailbox, mailfolder is full, mail box full, inbox full,
      inbox is full, box is full, folder is full, account is full, is full, storage, insufficient disk,
      insufficient space, insufficient system, not enough space, no space, not enough disk, disk full, disk space,
      disk is full, out of space, space limit, mailbox size, size of the mailbox, mailbox limit*, exceeded mailbox,
      exceeds allotted, allotted size, would exceed, maximum mailbox, postfach ist voll, postfach voll, boite pleine,
      boîte pleine, buzón lleno, casella piena, overdrawn, zuviele mails, too many messages on the server,
      currently suspended, mailbox suspended`,
  },
  {
    name: 'size and form',
    subject: 'message',
    phrases: `
      too large, too big, too long, message size, size limit, size exceed*, exceeds size, maximum size, fixed limit,
      maximum message, bare lf, bare linefeed*, 8bit*, malformed mime, invalid header*, missing header*, header error,
      message format, larger than, exceeds the maximum, illegal attachment*, attachment type*, attachments are,
      attachments not, attachments of, remove attachments, with attachments`,
  },
  {
    name: 'server and route',
    subject: 'system',
    phrases: `
      temporar*, try again later, try later, retry later, retry timeout, try again in, going to try again, host not
      found try again, timed out, timeout, message expired, message has expired, mail expired, envelope expired, time
      expired, time has expired, delivery expired, queue expired, retry expired, period expired, certificate expired,
      certificate has expired, password expired, in the queue too long, connection refused, connection lost,
      connection dropped, connection reset, could not connect, establish an smtp connection, no route to host, network
      unreachable, network is unreachable, command died, exit status, out of memory, internal error, i o error, input
      output error, configuration error, local problem, lookup failed, lookup error, directory lookup, serverfail,
      servfail, under maintenance, loop detected, child status, broken pipe, overloaded, cannot append, returned
      error, system resources, name server reply`,
  },
  {
    name: 'mailbox unknown',
    subject: 'gone',
    phrases: `
      user unknown, unknown user, unknown recipient*, recipient unknown, unknown local part, unknown localpart,
      unknown address, address unknown, address is unknown, unknown mailbox, mailbox unknown, unknown account, unknown
      or illegal alias, unknown alias, user is unknown, recipient is unknown, account unknown, @ unknown, @ is
      unknown, unknown to this, unknown to us, unknown name, username unknown, unknown username, unknown email,
      unknown e mail, unknown rcpt, recipient s unknown, addressee unknown, users unknown, user not found, users not
      found, recipient not found, recipients not found, address not found, address was not found, mailbox not found,
      mailbox was not found, account not found, @ not found, user was not found, @ wasn t found, address couldn t be
      found, you entered couldn t be found, recipient could not be found, address could not be found, mailbox could
      not be found, recipnotfound, recipientnotfound, recipient not exist*, user not exist*, user id not found,
      addressee not found, does not exist, doesn t exist, do not exist, not exist, dosn t exist, user doesn t have,
      doesn t have an account, not have an account, no such user*, no such recipient*, no such mailbox*, no such
      address*, no such account*, no such person, no such local user, no such email*, no such e mail*, no such alias,
      no such customer, no such name, no such local part, no such a user, no such id, no such virtual user, no such
      domain, no such host, no account here, no mailbox, no account by that name, no account for, no user by that
      name, no user here, no user with, no local mailbox, no recipient*, no known user, nobody by that name, no one by
      that name, there is no user, is not a user, not a valid recipient, not a valid mailbox, not a valid user, not a
      valid address, not a valid email, not a known user, not a user, not our customer, not a customer, not a local
      user, not known here, not known at this site, not a registered, is not local, user not local, not a valid
      username, invalid recipient*, recipient invalid, invalid mailbox, invalid address, invalid user, invalid userid,
      invalid email, wrong recipient*, user not a member of domain, invalid local part, invalid final delivery userid,
      invalid final delivery, bad recipient, bad destination mailbox, bad destination email, bad address, mailbox name
      not valid, recipient not valid, recipient name is not recognized, recipient is not recognized, recipient
      unrecognized, not recognized, unrecognized recipient, undeliverable address, address is not valid, address not
      valid, illegal alias, not listed in domino, not listed in public, not listed in the, not listed in directory,
      mailbox unavailable, unrouteable, unroutable, user name not found, email name is not found, delivery to this
      address is not possible, email account that you tried to reach does not, no mail box, not have a mailbox, not
      have a final email delivery point, user not known, mail box not found, nonexistent user, non existent user,
      nonexistent recipient, non existent account, nonexistent account, non existent recipient, non existent mailbox`,
  },
  {
    name: 'mailbox closed',
    subject: 'gone',
    phrases: `
      inactive account, inactive mailbox, mail receiving disabled, is now disabled, mailbox disabled, mailbox is
      disabled, mailbox has been disabled, mailbox inactive, mailbox is inactive, account disabled, account is
      disabled, account has been disabled, account that you tried to reach is disabled, account not activated, account
      inactive, account is inactive, account closed, account is closed, account has been closed, account deleted,
      account has been deleted, account deactivated, account is not active, account expired, user disabled, user is
      disabled, user is inactive, user inactive, inactive user, user not active, user account is, recipient disabled,
      address disabled, address is disabled, address is inactive, mailbox closed, mailbox deactivated, mailbox has
      been deactivated, mailbox is deactivated, mailbox is closed, has been deactivated, has been discontinued, been
      discontinued, is discontinued, no longer valid, no longer active, no longer available, no longer in use, no
      longer exists, no longer a, no longer an, no longer with, no longer on, no longer here, no longer has an
      account, no longer accepts, no longer used, no longer works, no longer at, no longer receiv*, no longer
      accepting, extended inactivity, deactivated mailbox, not an active address`,
  },
  {
    name: 'domain without mail',
    subject: 'gone',
    phrases: `
      host unknown, unknown host, host not found, hostname unknown, unknown domain, domain not found, domain unknown,
      domain name not found, domain name unknown, nxdomain, domainnonexistent, nonexistentdomain, non existent host*,
      non existent domain, nonexistent domain, non existent email, invalid domain, bad domain,
      illegal host domain name, couldn t find any host, couldn t find a mail, name service error, bad host,
      have a mail server, no mail server, no mail exchanger*, no mail hosts, no mx record*, null mx, nullmx,
      indicated no smtp service, domain does not accept mail, domain has no mail, dead domain, no valid mail server, no mx,
      no mx hosts, mx record points to nowhere, name or service not known, domain was not found`,
  },
  {
    name: 'other languages',
    subject: 'gone',
    phrases: `
      unbekannt, existiert nicht, nicht gefunden, nicht vorhanden, unbekannter empfänger, n existe pas, utilisateur
      inconnu, destinataire inconnu, adresse inconnue, adresse email inconnue,
      adresse e mail inconnue, no existe, usuario desconocido, destinatario desconocido, cuenta inexistente, usuario
      inexistente, destinatario inexistente,
      utente sconosciuto, destinatario sconosciuto, utente inesistente, casella inesistente, indirizzo inesistente, não existe, nie istnieje, nieznany, ディレクトリには見つかりません`,
  },
]

const longestText = 2_000

const address = /<?[^\s<>"'(),;:]{1,200}@[^\s<>"'(),;:]{1,255}>?/g
const url = /\bhttps?:\/\/\S{1,500}/gi
/** Ignored: spam.example.com is no evidence. At least two dots, because "rejected.Spam" has one. */
const host = /[\w-]{1,100}(?:\.[\w-]{1,100}){2,10}/g
const nonWord = /[^\p{L}\p{N}@]+/gu

const spaced = (text: string) => ` ${text.replace(nonWord, ' ').trim()} `

/** IronPort prefixes this to any response of the remote server. */
const wrapper = 'unknown address error'

/** Lower-case words, single spaces; each address becomes `@`; URLs and host names are removed. */
export const normalisedRefusalText = (text: string): string =>
  spaced(
    text.slice(0, longestText).toLowerCase().replace(url, ' ').replace(address, ' @ ').replace(host, ' '),
  ).replaceAll(wrapper, ' ')

const searched = phraseClasses.map(({ subject, phrases }) => ({
  subject,
  phrases: phrases.split(',').map((one) => (one.endsWith('*') ? spaced(one).trimEnd() : spaced(one))),
}))

/** Reads up to 2,000 characters, in linear time. */
export const refusalSubjectOfText = (text: string): RefusalSubject => {
  const words = normalisedRefusalText(text)
  return searched.find(({ phrases }) => phrases.some((one) => words.includes(one)))?.subject ?? 'other'
}
