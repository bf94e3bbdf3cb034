import { z } from 'zod'

/**
 * What a whitelisted Origin may do (gaps.md, `browserAccess`). `full`: everything that the specification allows it. `subscribe-only`:
 * creating a contact, subscribing, submitting forms, and reading their responses. `none`: nothing.
 */
export const BrowserAccess = z.enum(['full', 'subscribe-only', 'none']).meta({
  description:
    'What pages of a whitelisted Origin may do. full: all that is open to them; subscribe-only: create a contact, subscribe and submit forms; none: nothing',
})
export type BrowserAccess = z.output<typeof BrowserAccess>

/** The minimum `browserAccess` that an endpoint requires for calls from pages. */
export type BrowserAccessNeeded = Exclude<BrowserAccess, 'none'>
