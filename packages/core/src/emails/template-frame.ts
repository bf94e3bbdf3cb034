import type { Budget } from './template-budget.js'

/** How values are written: HTML-escaped, or unchanged for text and header lines. `tracked` is HTML with link marks. */
export type TemplateFormat = 'html' | 'text' | 'tracked'

/** `@index`, `@key`, … of a loop; `root` is always set. */
export type Data = {
  readonly root: unknown
  readonly key?: string | number
  readonly index?: number
  readonly first?: boolean
  readonly last?: boolean
  readonly outer?: Data
}
/** The current context and its outer contexts: `../` reads the second one. */
export type Contexts = { readonly context: unknown; readonly outer: Contexts | undefined }
type BlockParams = { readonly values: readonly unknown[]; readonly outer: BlockParams | undefined }

/** The surroundings of a template node during rendering. */
export type Frame = {
  readonly context: unknown
  readonly contexts: Contexts
  readonly data: Data
  readonly params: BlockParams | undefined
}
/** A compiled statement: charges its work, then writes its output. */
export type Write = (spent: Budget, frame: Frame) => void
/** A compiled expression: charges its work, then returns its value. */
export type Read = (spent: Budget, frame: Frame) => unknown
/** Compile-time scope: the names of block parameters, innermost block first. */
export type Scope = { readonly format: TemplateFormat; readonly names: readonly (readonly string[])[] }

/** A compiled statement that writes nothing. */
export const nothing: Write = () => undefined

export const frameOf = (context: Readonly<Record<string, unknown>>): Frame => ({
  context,
  contexts: { context, outer: undefined },
  data: { root: context },
  params: undefined,
})
