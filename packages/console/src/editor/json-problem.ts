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
