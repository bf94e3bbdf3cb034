import type { Store } from '../store.js'

/** The parts of a store that are copied. Jobs are not: the server finds due campaigns without them, within a minute. */
export type CopiedStore = Pick<Store, 'repositories' | 'counters' | 'deliveries' | 'figures' | 'files'>

/** Source and target of a copy. */
export type Ends = { readonly from: CopiedStore; readonly to: CopiedStore }
