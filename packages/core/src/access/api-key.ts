import type { KeyScope } from '../kernel/scope.js'
import type { InProject } from '../kernel/shapes.js'

/** A key of a project. The key itself is shown once and never kept: only its SHA-256 and last four characters are. */
export type ApiKey = InProject & {
  readonly name: string
  readonly digest: string
  readonly lastFour: string
  /** Absent: `full`, as all keys were. */
  readonly scope?: KeyScope
  readonly revokedAt?: string
}

/** What the key opens. */
export const scopeOfKey = ({ scope = 'full' }: Pick<ApiKey, 'scope'>): KeyScope => scope
