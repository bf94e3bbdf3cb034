import type { Budget } from './template-budget.js'

/** How values are written: escaped for HTML, or as they are for text and header lines. `tracked` is HTML with marks for a mail's links. */
export type TemplateFormat = 'html' | 'text' | 'tracked'

/** What `@index`, `@key`, … mean in a loop; `root` everywhere. */
export type Data = {
  readonly root: unknown
  readonly key?: string | number
  readonly index?: number
  readonly first?: boolean
  readonly last?: boolean
  readonly outer?: Data
}
/** The contexts around: `../` is the second of them. */
export type Contexts = { readonly context: unknown; readonly outer: Contexts | undefined }
type BlockParams = { readonly values: readonly unknown[]; readonly outer: BlockParams | undefined }

/** What is around a part of the template while it is rendered. */
export type Frame = {
  readonly context: unknown
  readonly contexts: Contexts
  readonly data: Data
  readonly params: BlockParams | undefined
}
/** A compiled statement: writes itself, and charges for it first. */
export type Write = (spent: Budget, frame: Frame) => void
/** A compiled expression: its value, charged for first. */
export type Read = (spent: Budget, frame: Frame) => unknown
/** What is known of a place in the template: names of block parameters, the innermost block's first. */
export type Scope = { readonly format: TemplateFormat; readonly names: readonly (readonly string[])[] }

/** What is left of a statement that writes nothing. */
export const nothing: Write = () => undefined

/** The frame of a template's top level. */
export const frameOf = (context: Readonly<Record<string, unknown>>): Frame => ({
  context,
  contexts: { context, outer: undefined },
  data: { root: context },
  params: undefined,
})
