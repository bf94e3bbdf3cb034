export type Values = Readonly<Record<string, string | number>>

const turning = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\ufb1d-\ufdff\ufe70-\ufefc]/
const isolates = /[\u2066-\u2069]/g

/** Of a text that was made of others, to be stored. */
export const withoutIsolates = (text: string): string => text.replace(isolates, '')

/** Keeps a stranger's text from changing the direction of the words around it. */
export const isolated = (text: string): string => {
  const contained = withoutIsolates(text)
  return turning.test(contained) ? `\u2068${contained}\u2069` : contained
}

type Words = {
  readonly number: (value: number) => string
  /** CLDR's plural category. */
  readonly category: (value: number) => string
}

/** Polish has three forms, the other languages two. The last form is used for all other categories. */
const formOf = (forms: readonly string[], category: string): string => {
  const index = category === 'one' ? 0 : category === 'few' && forms.length > 2 ? 1 : forms.length - 1
  return forms[index] ?? ''
}

/** `{name}`: a text or a formatted number; `{count|person|people}`: the form for the number. */
export const filled = (message: string, values: Values, { number, category }: Words): string =>
  message.replace(/\{(\w+)((?:\|[^|{}]*)*)\}/g, (_, name: string, rest: string) => {
    const value = values[name] ?? ''
    if (rest === '') return typeof value === 'number' ? number(value) : isolated(value)
    return formOf(rest.slice(1).split('|'), category(Number(value)))
  })
