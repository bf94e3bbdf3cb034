/** A series that an expression asks for, and the labels that it selects by. */
export type Asked = { readonly metric: string; readonly labels: readonly string[] }

const keywords = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan'])
const wordsIn = (text: string) => text.match(/[a-zA-Z_]\w*/g) ?? []

/** What a PromQL expression asks for, and the labels that it groups or matches by. Of functions, only that they are none. */
export const askedBy = (
  expression: string,
): { readonly series: readonly Asked[]; readonly groups: readonly string[] } => {
  const plain = expression.replace(/"[^"]*"/g, '').replace(/\[[^\]]*\]/g, '')
  const clause = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
  const groups = [...plain.matchAll(clause)].flatMap(([, labels = '']) => wordsIn(labels))
  const series = [...plain.replace(clause, ' ').matchAll(/(?<![\w.$])([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?(\s*\()?/g)]
    .filter(([, name = '', , call]) => call === undefined && !keywords.has(name))
    .map(([, metric = '', selector = '']) => ({ metric, labels: wordsIn(selector) }))
  return { series, groups }
}
