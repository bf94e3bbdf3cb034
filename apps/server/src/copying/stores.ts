import type { Store } from '../store.js'

/** What of a store can be copied. Jobs are not: campaigns that are due are found without them, within a minute. */
export type CopiedStore = Pick<Store, 'repositories' | 'counters' | 'deliveries' | 'figures' | 'files'>

/** From where to where. */
export type Ends = { readonly from: CopiedStore; readonly to: CopiedStore }
