import { isIP } from 'node:net'
import type { Core, Scope } from '@posthorn/core'
import { byteBoundedCache } from '@posthorn/core/ports/runtime'
import { ipAddressBlock } from '@posthorn/core/ports/transport'
import type { Request } from 'express'

/** `part`: the fraction of an account's share that it may use. */
export type SharePayer = { readonly key: string; readonly part: number }

export type RequestPayers = readonly [SharePayer, ...SharePayer[]]

/** As a trusted proxy states it (`trust proxy`), else the connection's. */
export const clientBlock = ({ ip = '', socket }: Pick<Request, 'ip' | 'socket'>): string =>
  ipAddressBlock(isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip)

/** RFC 6750 section 2.1. */
export const bearerOf = ({ headers }: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1]

const block = (request: Pick<Request, 'ip' | 'socket'>): SharePayer => ({
  key: `address ${clientBlock(request)}`,
  part: 1 / 8,
})
const accountPayer = (account: string): SharePayer => ({ key: `account ${account}`, part: 1 })

/** The address block pays; strangers share one account's share. */
export const strangerRequestOwner = (request: Pick<Request, 'ip' | 'socket'>): RequestPayers => [
  block(request),
  { key: 'strangers', part: 1 },
]

const visitorOwner = (request: Request, project: string, account: string): RequestPayers => [
  block(request),
  { key: `visitors of project ${project}`, part: 1 / 4 },
  { key: `visitors of account ${account}`, part: 1 / 2 },
  accountPayer(account),
]

/** No key: a page of a whitelisted Origin, a token holder, or a stranger. */
export const isVisitor = ({ caller, projectId }: Scope): boolean =>
  projectId === '' || caller === 'origin' || caller === 'preferences'

/**
 * Visitors pay as address block (a quarter of the account's share for each project, half for all) and account; keys as
 * account only. Synchronous if the account is cached.
 */
export const requestOwnerLookup = ({ accountOf }: Pick<Core, 'accountOf'>) => {
  const accounts = byteBoundedCache<string, string>({
    maxBytes: 1024 * 1024,
    sizeOf: (projectId, account) => 2 * (projectId.length + account.length),
  })
  return (scope: Scope, request: Request): RequestPayers | Promise<RequestPayers> => {
    const { projectId } = scope
    if (projectId === '') return strangerRequestOwner(request)
    const ownerIn = (account: string): RequestPayers =>
      isVisitor(scope) ? visitorOwner(request, projectId, account) : [accountPayer(account)]
    const known = accounts.get(projectId)
    if (known !== undefined) return ownerIn(known)
    return accountOf(projectId).then((account) => {
      accounts.set(projectId, account)
      return ownerIn(account)
    })
  }
}
