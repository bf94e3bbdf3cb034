import { failuresOf, type Result } from './attack.js'

const megabytes = (grown: number | undefined) =>
  grown === undefined ? 'not measured' : `${grown >= 0 ? '+' : '−'}${Math.abs(Math.round(grown))} MB`

/** The results as a table in Markdown. */
export const table = (results: readonly Result[]): string =>
  [
    '| Attack | Longest wait of somebody else | Memory afterwards | What got through |',
    '| --- | --- | --- | --- |',
    ...results.map((result) => {
      const failed = failuresOf(result)
      const { name, longest, grown } = result
      return `| ${name} | ${Math.round(longest)} ms | ${megabytes(grown)} | ${failed.length > 0 ? failed.join('; ') : 'nothing'} |`
    }),
  ].join('\n')
