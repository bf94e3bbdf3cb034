import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What processes took together, threads and their own processes included. On systems without `/proc` nothing is known of it. */
export type Used = {
  /** Seconds of all cores. */
  readonly cpuSeconds: number | undefined
  /**
   * The most that was resident in all of them at one moment, in MB of 1,000,000 bytes. What a process of theirs has mapped from files,
   * which is the same Node, is not counted again.
   */
  readonly peakRssMb: number | undefined
}

const ticksPerSecond = (() => {
  try {
    return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  } catch {
    return 100
  }
})()

const readProcess = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** proc(5): fields 14 and 15, counted behind the name, which may hold anything. */
const cpuSecondsOf = (pid: number): number | undefined => {
  const stat = readProcess(pid, 'stat')
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** In megabytes. */
const residentOf = (pid: number, what: 'VmRSS' | 'RssAnon'): number | undefined => {
  const kilobytes = new RegExp(`${what}:\\s+(\\d+)`).exec(readProcess(pid, 'status') ?? '')?.[1]
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6
}

/** The processes that those have started, and those that these have started. */
const startedBy = (pids: readonly number[]): readonly number[] => {
  const children = pids.flatMap((pid) =>
    (readProcess(pid, `task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
  return children.length === 0 ? [] : [...children, ...startedBy(children)]
}

const sum = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.flatMap((value) => value ?? [])
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0)
}

/** Looks at those processes every 50 ms until it is stopped. One that has ended counts with what it had used when it was last seen. */
export const startMeter = (pids: readonly number[]) => {
  const before = new Map(pids.map((pid) => [pid, cpuSecondsOf(pid)]))
  const used = new Map<number, number | undefined>()
  let peak: number | undefined
  const look = () => {
    const others = startedBy(pids)
    for (const pid of [...pids, ...others]) {
      const now = cpuSecondsOf(pid)
      if (now !== undefined) used.set(pid, now - (before.get(pid) ?? 0))
    }
    const resident = sum([
      ...pids.map((pid) => residentOf(pid, 'VmRSS')),
      ...others.map((pid) => residentOf(pid, 'RssAnon')),
    ])
    if (resident !== undefined) peak = Math.max(peak ?? 0, resident)
  }
  look()
  const timer = setInterval(look, 50)
  return {
    stop: (): Used => {
      clearInterval(timer)
      look()
      return { cpuSeconds: sum([...used.values()]), peakRssMb: peak }
    },
  }
}
