import { startProcess } from './calls.js'
import type { Load, LoadCalls } from './http-load.js'
import type { ServerProcess } from './installation.js'

/** Has a process of its own send requests to the server. @throws Error where one is not answered with 2xx */
export const sendRequests = async ({ base }: ServerProcess, load: Omit<Load, 'port'>) => {
  const process = startProcess<LoadCalls>(new URL('./http-load.ts', import.meta.url))
  try {
    const result = await process.call('run', { ...load, port: Number(new URL(base).port) })
    const wrong = Object.entries(result.statuses).filter(([status]) => !status.startsWith('2'))
    if (wrong.length > 0)
      throw new Error(
        `${load.method} ${load.path}: ${JSON.stringify(result.statuses)} ${result.refusal?.slice(0, 500)}`,
      )
    return result
  } finally {
    await process.stop()
  }
}
