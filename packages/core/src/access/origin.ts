import { isUrl } from '../kernel/is-url.js'
import type { BrowserAccess, BrowserAccessNeeded } from '../projects/browser-access.js'

/** Whether the Origin is the one of the project's own preferences page. */
export const isPreferencesOrigin = (
  { customSubscriptionPreferencesUrl: page }: { readonly customSubscriptionPreferencesUrl?: string },
  origin: string,
): boolean => page !== undefined && isUrl(page) && new URL(page).origin === origin

const hostOf = (origin: string): string | undefined => {
  const match = /^https?:\/\/([^/:@?#\s[\]]+)(?::\d{1,5})?$/i.exec(origin)
  return match?.[1]?.toLowerCase()
}

/**
 * Whether the Origin's host name, at any port, is one of the entries (gaps.md, "Whitelisted Origin"). An entry matches exactly that host,
 * not its sub-domains. `null`, the Origin of sandboxed and local pages, never matches.
 */
export const originAllowed = (whiteList: readonly string[], origin: string): boolean => {
  const host = hostOf(origin)
  return host !== undefined && whiteList.some((entry) => entry.toLowerCase() === host)
}

/** Whether pages of that Origin may call an endpoint of the project that requires this `browserAccess`. */
export const originAdmitted = (
  { whiteList, browserAccess }: { readonly whiteList: readonly string[]; readonly browserAccess: BrowserAccess },
  origin: string,
  needed: BrowserAccessNeeded,
): boolean =>
  (browserAccess === 'full' || (browserAccess === 'subscribe-only' && needed === 'subscribe-only')) &&
  originAllowed(whiteList, origin)
