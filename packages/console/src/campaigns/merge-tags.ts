/** `city` of `{{contact.city}}`, `{{#if contact.city}}` or `{{DEFAULT contact.city "x"}}`. */
export const contactPropertiesIn = (...templates: readonly string[]): readonly string[] => {
  const found = new Set<string>()
  for (const template of templates)
    for (const [, inside = ''] of template.matchAll(/\{\{\{?([^{}]*)\}?\}\}/g))
      for (const [, name = ''] of inside.matchAll(/\bcontact\.([A-Za-z_][\w-]*)/g)) found.add(name)
  return [...found]
}

export const namesFor = (fields: readonly string[], feeds: readonly string[]): readonly string[] => [
  'contact.name',
  'contact.email',
  ...fields.map((field) => `contact.${field}`),
  'unsubscribeLink',
  'pauseSubscriptionLink',
  ...feeds,
]
