import { fileTypes } from './file-types.js'

/** The server names a field and goes on with what it expects there. */
const rules: readonly (readonly [RegExp, string | ((...parts: string[]) => string)])[] = [
  [/^Invalid emails? format$/, 'This is not an email address.'],
  [/^Missing required field: (.+)$/, 'The field “$1” is required.'],
  [
    /^Mime type '.*' not allowed! Allowed mime types are: (.+)$/,
    (_, types = '') => `Only pictures can be uploaded: ${fileTypes(types)}.`,
  ],
  [/^expected at least 1 entry, got 0$/, 'At least one entry is needed.'],
  [/^expected (.+ (?:characters|entries)), got (.+)$/, 'Enter $1; there are $2.'],
  [/^expected (.+), got (.+)$/, 'Enter $1; it is $2.'],
  [/^expected (.+)$/, 'Enter $1.'],
  [/^((?:must|does) .+)$/, 'This $1.'],
  [/^too simple$/, 'This is too simple.'],
  [/^at most (\d+) for a contact$/, 'A contact has at most $1 of them.'],
  [
    /^(?=(?:an?|another|the|not|test|folders) )(.)(.*?)\.?$/,
    (_, first = '', rest = '') => `${first.toUpperCase()}${rest}.`,
  ],
  [/^((?:Unknown|Insufficient|Daily|Monthly) .*[^.])$/, '$1.'],
]

/** Others stay as they are: those of templates, for example, which begin with code. */
export const sayServer = (sentence: string): string => {
  for (const [pattern, words] of rules)
    if (pattern.test(sentence))
      return typeof words === 'string' ? sentence.replace(pattern, words) : sentence.replace(pattern, words)
  return sentence
}
