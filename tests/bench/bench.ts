import { availableParallelism, loadavg } from 'node:os'
import { makeBed } from './bed/bed.js'
import { line } from './report.js'
import type { BenchOptions, Result, Row } from './row.js'
import { rows } from './rows/index.js'

export type Report = {
  readonly store: string
  readonly mailer: BenchOptions['mailer']
  readonly recipients: number
  readonly node: string
  readonly cores: number
  /** Of the last minute when it began: what other programs took. */
  readonly load: number
  readonly rows: readonly Result[]
}

export type { BenchOptions }

/** The names that `only` may be. */
export const rowNames: readonly string[] = rows.map(({ name }) => name)

const isAskedFor =
  ({ only, scale }: BenchOptions) =>
  ({ name, onRequest }: Row) =>
    only === undefined ? scale || !onRequest : name === only

/** Measures row by row, each on a server that was started for it. */
export const bench = async (options: BenchOptions): Promise<Report> => {
  const [load = 0] = loadavg()
  if (load > 0.5) options.said(`The machine is busy (load ${load.toFixed(1)}): what is measured is too little.`)
  const bed = await makeBed(options)
  const results: Result[] = []
  try {
    for (const row of rows.filter(isAskedFor(options))) {
      const reason = row.skipped?.(options)
      if (reason !== undefined) {
        options.said(`${row.name}: left out, as ${reason}`)
        continue
      }
      for (const result of await row.run(bed)) {
        results.push(result)
        options.said(line(result))
      }
    }
  } finally {
    await bed.close()
  }
  const { mailer, recipients } = options
  return {
    store: bed.store,
    mailer,
    recipients,
    node: process.version,
    cores: availableParallelism(),
    load,
    rows: results,
  }
}
