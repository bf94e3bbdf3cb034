import type { Core, Scope } from '@posthorn/core'
import type { Permission } from '@posthorn/core/ports/transport'
import type { Route } from '../route.js'
import { consoleOnlyRoutes } from './rows.js'

/** Their records contain recipients' addresses, so entries have no values; changes of keys are in the ledger and the contacts. */
const ofRecipients: readonly Permission[] = ['contacts.edit', 'emails.test', 'emails.send', 'addresses.export']

type Called = { readonly scope: Scope; readonly params: Readonly<Record<string, string>> }

const idOf = (result: unknown): string | undefined =>
  typeof result === 'object' && result !== null && '_id' in result ? String(result._id) : undefined

/** Whether a row changes something that the audit log names. What people change of people is recorded by the core. */
const isChange = (row: Route) =>
  row.method !== 'get' && !row.permission.endsWith('.read') && !consoleOnlyRoutes.some((one) => one === row)

/** Runs a row and records its change. `reading` is the row that reads the same record. */
export const withAuditLog = (
  { people: { audit } }: Core,
  row: Route,
  reading: Route | undefined,
): (<C extends Called>(core: Core, call: C, run: () => Promise<unknown>) => Promise<unknown>) => {
  const hidesValues = ofRecipients.includes(row.permission) || row.permission === 'suppressions.edit'
  return async (core, call, run) => {
    const author = isChange(row) ? audit.authorOf(call.scope) : undefined
    if (!author || (author.by === 'key' && ofRecipients.includes(row.permission))) return run()
    const before =
      row.method === 'patch' && !hidesValues
        ? await Promise.resolve(reading?.run(core, { ...call, query: {}, body: {}, isLegacy: false } as never)).catch(
            () => undefined,
          )
        : undefined
    const result = await run()
    const record = idOf(result) ?? call.params.id
    const values = hidesValues ? {} : row.method === 'delete' ? { before: result } : { before, after: result }
    const { projectId } = call.scope
    await audit.record(author, { action: row.id, projectId, ...(record !== undefined && { record }), ...values })
    return result
  }
}
