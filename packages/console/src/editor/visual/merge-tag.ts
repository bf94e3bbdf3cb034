/** `fallback`: for contacts without a value. */
export type MergeTag = { readonly name: string; readonly fallback: string }

/** Undefined for conditions, helpers and other expressions. */
export const parseMergeTag = (source: string): MergeTag | undefined => {
  const plain = /^\{\{\s*([\w.@-]+)\s*\}\}$/.exec(source)
  if (plain?.[1] !== undefined) return { name: plain[1], fallback: '' }
  const [, name, fallback] = /^\{\{\s*DEFAULT\s+([\w.@-]+)\s+"([^"]*)"\s*\}\}$/.exec(source) ?? []
  return name === undefined || fallback === undefined ? undefined : { name, fallback }
}

export const sourceOf = ({ name, fallback }: MergeTag): string => {
  const safe = fallback.replace(/["{}]/g, '')
  return safe === '' ? `{{${name}}}` : `{{DEFAULT ${name} "${safe}"}}`
}
