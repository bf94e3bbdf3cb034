import type { Stage } from './stage.js'

/** Something that happens to a server in the middle of a campaign, and is over when it resolves. */
export type Fault = {
  readonly name: string
  /** Why it cannot be had here. */
  readonly impossible?: (on: { readonly store: string }) => string | undefined
  /** Answers how many mails are in doubt by it: taken, without anybody who can have recorded that. So many may come twice. */
  readonly strike: (stage: Stage) => Promise<number>
}
