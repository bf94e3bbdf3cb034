import type { InProject } from '../kernel/shapes.js'

/** A From address of a project. The one with the smallest `position` is the default. */
export type SenderIdentity = InProject & {
  readonly email: string
  readonly emailKey: string
  readonly name: string
  readonly region: string
  readonly position: number
}
