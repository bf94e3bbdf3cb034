export const namesFor = (fields: readonly string[], feeds: readonly string[]): readonly string[] => [
  'contact.name',
  'contact.email',
  ...fields.map((field) => `contact.${field}`),
  'unsubscribeLink',
  'pauseSubscriptionLink',
  ...feeds,
]
