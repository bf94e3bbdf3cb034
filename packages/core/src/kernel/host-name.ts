import tr46 from 'tr46'

/** Without the hyphen rule, because DNS has names such as `a--b`. */
const uts46 = { checkBidi: true, checkHyphens: false, checkJoiners: true, useSTD3ASCIIRules: true } as const

/** UTS #46 ignores these since Unicode 16: two names that look alike would be one. */
const invisible = /[\u115f\u1160\u17b4\u17b5\u180e\u2061-\u206f\u3164\uffa0\u{1d173}-\u{1d17a}]/u

/** In characters: `<selector>._domainkey.` must fit in front within the 253 of RFC 1035. */
const longest = 200

/** In characters. */
const longestText = 253

const name = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

/** Lower-case ASCII without a final dot (UTS #46); undefined if not a host name or without a dot. */
export const hostName = (text: string): string | undefined => {
  if (text.length > longestText || invisible.test(text)) return undefined
  const host = tr46.toASCII(text, uts46)?.replace(/\.$/, '') ?? ''
  return host.length <= longest && name.test(host) ? host : undefined
}

const needsReading = (text: string) => !isAscii(text) || /(?:^|\.)xn--/i.test(text)

/** Converts hosts outside ASCII; undefined if not a host. */
export const asciiHost = (text: string): string | undefined => (needsReading(text) ? hostName(text) : text)
