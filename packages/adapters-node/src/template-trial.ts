import { blocked, type TemplateTrial } from '@posthorn/core/ports'
import type { TenantThreads } from './tenant-threads/tenant-threads.js'

/** Tries templates in a thread, by the same code that then compiles them. */
export const templateTrial =
  ({ run }: TenantThreads): TemplateTrial =>
  async (templates, projectId) => {
    const { output, problems } = await run('templates', JSON.stringify(templates), projectId)
    if (output !== undefined) return
    const violation = problems.find((problem) => problem.includes(': line '))
    throw blocked(violation ?? `The templates cannot be compiled: ${problems.join('; ')}`)
  }
