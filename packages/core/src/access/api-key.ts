import type { KeyScope } from '../kernel/scope.js'
import type { InProject } from '../kernel/shapes.js'

/** A key of a project. The key itself is shown once and never stored: only its SHA-256 and last four characters are. */
export type ApiKey = InProject & {
  readonly name: string
  readonly digest: string
  readonly lastFour: string
  readonly scope: KeyScope
  readonly revokedAt?: string
}
