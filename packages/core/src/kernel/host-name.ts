import tr46 from 'tr46'

/** Non-transitional UTS #46 with STD3 rules, and without the hyphen rule, because DNS has names such as `a--b`. */
const uts46 = { checkBidi: true, checkHyphens: false, checkJoiners: true, useSTD3ASCIIRules: true } as const

/** Invisible characters, which UTS #46 ignores since Unicode 16; two names that look alike would be one. */
const invisible = /[\u115f\u1160\u17b4\u17b5\u180e\u2061-\u206f\u3164\uffa0\u{1d173}-\u{1d17a}]/u

/** Longest host name, in characters: `<selector>._domainkey.` must fit in front of it within the 253 of RFC 1035. */
const longest = 200

/** Longest text that is parsed, in characters: DNS has no longer names in any spelling. */
const longestText = 253

const name = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

/** The host name in lower-case ASCII, without a final dot (IDN by UTS #46); undefined if the text is not one, or has no dot. */
export const hostName = (text: string): string | undefined => {
  if (text.length > longestText || invisible.test(text)) return undefined
  const host = tr46.toASCII(text, uts46)?.replace(/\.$/, '') ?? ''
  return host.length <= longest && name.test(host) ? host : undefined
}

const needsReading = (text: string) => !isAscii(text) || /(?:^|\.)xn--/i.test(text)

/** Normalises a host for storage: with `hostName` if it has letters outside ASCII, otherwise unchanged; undefined if it is not a host. */
export const asciiHost = (text: string): string | undefined => (needsReading(text) ? hostName(text) : text)
