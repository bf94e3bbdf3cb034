import { isUrl } from '../kernel/is-url.js'
import type { BrowserAccess, BrowserAccessNeeded } from '../projects/browser-access.js'

/** Whether the Origin is that of the project's own page for preferences. */
export const isPreferencesOrigin = (
  { customSubscriptionPreferencesUrl: page }: { readonly customSubscriptionPreferencesUrl?: string },
  origin: string,
): boolean => page !== undefined && isUrl(page) && new URL(page).origin === origin

const hostOf = (origin: string): string | undefined => {
  const match = /^https?:\/\/([^/:@?#\s[\]]+)(?::\d{1,5})?$/i.exec(origin)
  return match?.[1]?.toLowerCase()
}

/**
 * Whether the Origin's host name, at any port, is one of the entries (gaps.md, "Whitelisted Origin"). An entry is that host
 * and no other: not its sub-domains. `null`, the Origin of sandboxed and local pages, never is.
 */
export const originAllowed = (whiteList: readonly string[], origin: string): boolean => {
  const host = hostOf(origin)
  return host !== undefined && whiteList.some((entry) => entry.toLowerCase() === host)
}

/**
 * Whether pages of that Origin may call an endpoint of the project that needs so much of its `browserAccess`. A project that was
 * there before the setting has none, and is open in full.
 */
export const originAdmitted = (
  {
    whiteList,
    browserAccess = 'full',
  }: { readonly whiteList: readonly string[]; readonly browserAccess?: BrowserAccess },
  origin: string,
  needed: BrowserAccessNeeded,
): boolean =>
  (browserAccess === 'full' || (browserAccess === 'subscribe-only' && needed === 'subscribe-only')) &&
  originAllowed(whiteList, origin)
