/** Groups of a section, and the first words of subjects that belong to them; the first group takes what no other does. */
const groups = [
  ['Changed', []],
  ['Added', ['add', 'allow', 'introduce', 'let', 'offer', 'serve', 'support']],
  ['Fixed', ['correct', 'fix', 'prevent', 'repair', 'stop']],
  ['Removed', ['drop', 'remove']],
  ['Documentation and tests', ['describe', 'document', 'explain', 'prove', 'reword', 'say', 'test', 'tests', 'try']],
] as const

const groupOf = (subject: string): string => {
  const [first = ''] = subject.toLowerCase().split(/[\s:,]/)
  return groups.find(([, words]) => (words as readonly string[]).includes(first))?.[0] ?? 'Changed'
}

/** Without merges and releases; each subject once, the oldest first. */
const worthMentioning = (subjects: readonly string[]): readonly string[] => [
  ...new Set(
    subjects.map((one) => one.trim()).filter((one) => one !== '' && !/^(?:Merge |Release \d|fixup!|squash!)/.test(one)),
  ),
]

/** A section of the changelog in Markdown, with what stood under “Unreleased” first. */
export const section = (
  { version, date, noted }: { readonly version: string; readonly date: string; readonly noted: string },
  subjects: readonly string[],
): string => {
  const all = worthMentioning(subjects)
  const lists = groups.flatMap(([name]) => {
    const own = all.filter((subject) => groupOf(subject) === name)
    return own.length === 0
      ? []
      : [`### ${name}\n\n${own.map((subject) => `- ${subject.replace(/([<>*_`])/g, '\\$1')}`).join('\n')}`]
  })
  return [`## ${version} (${date})`, ...(noted === '' ? [] : [noted]), ...lists].join('\n\n')
}

const unreleased = '## Unreleased'

/** What was written under “Unreleased” by hand. @throws Error if the changelog has no such heading */
export const notedIn = (changelog: string): string => {
  const [, after] = changelog.split(`${unreleased}\n`)
  if (after === undefined)
    throw new Error(`CHANGELOG.md has no heading “${unreleased}”. Put it above the newest version.`)
  const [noted = ''] = after.split(/^## /m)
  return noted.trim()
}

/** The changelog with the section below an empty “Unreleased”. */
export const withSection = (changelog: string, added: string): string => {
  const [before = '', after = ''] = changelog.split(`${unreleased}\n`)
  const older = /^## /m.exec(after)
  return `${before}${unreleased}\n\n${added}\n${older ? `\n${after.slice(older.index)}` : ''}`
}
