import { blocked, type TemplateTrial } from '@posthorn/core/ports/runtime'
import type { TenantProcesses } from './tenant-processes/tenant-processes.js'

/** Tries templates in a sandbox process, by the code that compiles them later. */
export const templateTrial =
  ({ run }: TenantProcesses): TemplateTrial =>
  async (templates, projectId) => {
    const { output, problems } = await run('templates', JSON.stringify(templates), projectId)
    if (output !== undefined) return
    const violation = problems.find((problem) => problem.includes(': line '))
    throw blocked(violation ?? `The templates cannot be compiled: ${problems.join('; ')}`)
  }
