import type { InProject } from '../kernel/shapes.js'

/** In lower case, unique in its project. */
export type ContactTag = InProject & { readonly value: string }
