import type { InProject } from '../kernel/shapes.js'

export type FieldValue = string | number | boolean

/** A person a project may write to. Unique in the project by address, in any spelling. */
export type Contact = InProject & {
  readonly email: string
  /** `addressKey(email)` */
  readonly emailKey: string
  readonly name: string
  /** In lower case. */
  readonly tags: readonly string[]
  /** By API name. Dates are ISO instants, or ISO days as they were given. */
  readonly customFields: Readonly<Record<string, FieldValue>>
  readonly lastOpenDate?: string
  readonly lastClickDate?: string
  readonly lastReceiveDate?: string
}
