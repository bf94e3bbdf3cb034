/** What the URL parser would read as something else than a host, or leave out in silence. */
const foreign = /[\s/\\@:?#%[\]\p{Cc}]/u

/** Longer names leave no room for `<selector>._domainkey.` within the 253 characters of RFC 1035. */
const longest = 200

const name = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The host name in lower-case ASCII, without a final dot (IDN by UTS #46); undefined where the text is not one, or has no dot. */
export const hostName = (text: string): string | undefined => {
  if (foreign.test(text)) return undefined
  try {
    const host = new URL(`http://${text}`).hostname.replace(/\.$/, '')
    return host.length <= longest && name.test(host) ? host : undefined
  } catch {
    return undefined
  }
}
