import { z } from 'zod'

/**
 * How much a whitelisted Origin opens (gaps.md, `browserAccess`). `full`: all that the specification opens to it. `subscribe-only`:
 * creating a contact, subscribing, submitting forms, and what these answer. `none`: nothing.
 */
export const BrowserAccess = z.enum(['full', 'subscribe-only', 'none']).meta({
  description:
    'What pages of a whitelisted Origin may do. full: all that is open to them; subscribe-only: create a contact, subscribe and submit forms; none: nothing',
})
export type BrowserAccess = z.output<typeof BrowserAccess>

/** The least of a project's `browserAccess` that opens an endpoint to pages. */
export type BrowserAccessNeeded = Exclude<BrowserAccess, 'none'>
