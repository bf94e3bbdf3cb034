import type { Environment, Installation, ServerProcess } from './bed/installation.js'
import type { Used } from './bed/meter.js'

export type BenchOptions = {
  readonly recipients: number
  readonly store: 'sqlite' | 'mongodb'
  /** What campaigns of the rows leave by that do not name their own way. */
  readonly mailer: 'smtp' | 'ses'
  /** Only the rows of that name. */
  readonly only?: string | undefined
  /** Campaigns of all sizes up to `recipients`, and of up to 1,000 projects. */
  readonly scale: boolean
  /** Hears of every row when it is over. */
  readonly said: (line: string) => void
}

/** What was measured. Fields that say nothing in a row are null. */
export type Result = {
  readonly name: string
  /** Contacts in the store. */
  readonly recipients: number
  /** What is done in a second: mails, requests or rows of a file. */
  readonly rate: number
  readonly unit: 'mails' | 'requests' | 'rows' | 'pages' | 'commands per 1,000 mails'
  /** What a loop does in a second that sends ready-made mails to the same sink, in the same run. */
  readonly bareRate: number | null
  /** `rate` of `bareRate`. */
  readonly ratio: number | null
  /** In milliseconds: until a request was answered; of campaigns, how long a hundred mails took at the sink. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
  /** Of all processes of Posthorn together, per mail, request or row, in microseconds. */
  readonly cpuMicros: number | null
  /** The most that was resident in all processes of Posthorn at one moment, in MB. */
  readonly peakRssMb: number | null
  /** What else belongs to the row, by name. */
  readonly more: Readonly<Record<string, number | string>>
}

/** One run of the bench: what rows measure on. */
export type Bed = {
  readonly options: BenchOptions
  /** Where a database of that name is kept, for an installation of a row’s own. */
  readonly storeAddress: (name: string) => Environment
  /** With so many contacts, imported by the command line; the same for all rows that ask for as many. */
  readonly installation: (contacts: number) => Promise<Installation>
  /** Starts a server on it that sends to a new sink, and ends both when the work is done. */
  readonly serving: <T>(
    installation: Installation,
    work: (served: Served) => Promise<T>,
    mailer?: BenchOptions['mailer'],
  ) => Promise<T>
  /** How often commands went to MongoDB since they were last asked for, by name; undefined on another store. */
  readonly mongoCommands: () => Promise<Readonly<Record<string, number>> | undefined>
}

/** A server at work, and the sink that its mails go to. */
export type Served = {
  readonly server: ServerProcess
  readonly sink: Sink
  /** Runs the work and answers what all processes of Posthorn used meanwhile. */
  readonly metered: <T>(work: () => Promise<T>) => Promise<{ readonly value: T; readonly used: Used }>
}

export type Arrivals = {
  readonly mails: number
  readonly bytes: number
  /** In milliseconds since 1970, of the first and the last mail, and of every `stride`-th. */
  readonly first: number
  readonly last: number
  readonly stride: number
  readonly moments: readonly number[]
  /** Of mails to watched addresses: their number, and when they came. */
  readonly arrivals: readonly (readonly [n: number, at: number])[]
}

export type Sink = {
  readonly reset: () => Promise<unknown>
  readonly report: () => Promise<Arrivals>
  /** What the bare loop hands over to it in a second. */
  readonly bareRate: (mails: number, bytes: number) => Promise<number>
}

/** A row of the table. It is skipped, with the reason, where it does not apply. */
export type Row = {
  readonly name: string
  /** Only measured with `--scale`, or by its name. */
  readonly onRequest?: boolean
  readonly skipped?: (options: BenchOptions) => string | undefined
  readonly run: (bed: Bed) => Promise<readonly Result[]>
}

/** Of samples in any order; null of none. */
export const percentiles = (samples: readonly number[]): Pick<Result, 'p50' | 'p95' | 'p99'> => {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** What `used` says of each of so many things. */
export const costs = ({ cpuSeconds, peakRssMb }: Used, n: number): Pick<Result, 'cpuMicros' | 'peakRssMb'> => ({
  cpuMicros: cpuSeconds === undefined ? null : (cpuSeconds * 1e6) / n,
  peakRssMb: peakRssMb ?? null,
})

const nothing = { bareRate: null, ratio: null, p50: null, p95: null, p99: null, cpuMicros: null, peakRssMb: null }

/** A result of which only what is given is known. */
export const resultOf = (given: Pick<Result, 'name' | 'recipients' | 'rate' | 'unit'> & Partial<Result>): Result => ({
  ...nothing,
  more: {},
  ...given,
  ratio: given.bareRate ? given.rate / given.bareRate : null,
})
