import type { InProject } from '../kernel/shapes.js'

/** An address the project must not write to. `reason` is free text; `bounce` and `complaint` are the service's own. */
export type Suppression = InProject & { readonly email: string; readonly emailKey: string; readonly reason: string }
