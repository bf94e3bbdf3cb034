import type { InProject } from '../kernel/shapes.js'

export type FieldType = 'string' | 'number' | 'boolean' | 'date'

/** A field of a project's own. `name` is its API name: camelCase, letters and digits (gaps.md, "Custom fields"). */
export type CustomField = InProject & { readonly name: string; readonly type: FieldType }
