/** The contact's properties that a template reads: `city` of `{{contact.city}}`, `{{#if contact.city}}` or `{{DEFAULT contact.city "x"}}`. */
export const contactPropertiesIn = (...templates: readonly string[]): readonly string[] => {
  const found = new Set<string>()
  for (const template of templates)
    for (const [, inside = ''] of template.matchAll(/\{\{\{?([^{}]*)\}?\}\}/g))
      for (const [, name = ''] of inside.matchAll(/\bcontact\.([A-Za-z_][\w-]*)/g)) found.add(name)
  return [...found]
}

/** What can stand in a template of a campaign. */
export const namesFor = (fields: readonly string[], feeds: readonly string[]): readonly string[] => [
  'contact.name',
  'contact.email',
  ...fields.map((field) => `contact.${field}`),
  'unsubscribeLink',
  'pauseSubscriptionLink',
  ...feeds,
]

/** Where `JSON.parse` stopped, as a line and a column of the text; undefined if it is JSON. */
export const jsonProblem = (
  text: string,
): { readonly sentence: string; readonly line: number; readonly column: number } | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const sentence = error instanceof Error ? error.message : ''
    const position = Number(/position (\d+)/.exec(sentence)?.[1] ?? text.length)
    const before = text.slice(0, position).split('\n')
    return { sentence, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  }
}
