import type { en } from './en.js'

/** Every message, in one language. */
export type Messages = Readonly<Record<keyof typeof en, string>>
