import { isIP } from 'node:net'
import type { Core, Scope } from '@posthorn/core'
import { byteBoundedCache } from '@posthorn/core/ports/runtime'
import { addressBlock } from '@posthorn/core/ports/transport'
import type { Request } from 'express'

/** Who is charged, and the part of an account's share that it may use. */
export type Payer = { readonly key: string; readonly part: number }

/** All payers of a request; the first names the client. */
export type Owner = readonly [Payer, ...Payer[]]

/** Address block of the client, as a trusted proxy states it (Express's `trust proxy`), else of the connection. */
export const clientBlock = ({ ip = '', socket }: Pick<Request, 'ip' | 'socket'>): string =>
  addressBlock(isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip)

/** API key or JWT (RFC 6750 section 2.1). */
export const bearerOf = ({ headers }: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1]

const block = (request: Pick<Request, 'ip' | 'socket'>): Payer => ({
  key: `address ${clientBlock(request)}`,
  part: 1 / 8,
})
const accountPayer = (account: string): Payer => ({ key: `account ${account}`, part: 1 })

/** A request without a project: the address block pays; all such requests share one account's share. */
export const strangerOwner = (request: Pick<Request, 'ip' | 'socket'>): Owner => [
  block(request),
  { key: 'strangers', part: 1 },
]

const visitorOwner = (request: Request, project: string, account: string): Owner => [
  block(request),
  { key: `visitors of project ${project}`, part: 1 / 4 },
  { key: `visitors of account ${account}`, part: 1 / 2 },
  accountPayer(account),
]

/** A caller without a key: a page of a whitelisted Origin, the reader of a mail with its token, or a stranger. */
export const isVisitor = ({ caller, projectId }: Scope): boolean =>
  projectId === '' || caller === 'origin' || caller === 'preferences'

/**
 * Who pays: address block → project → account. Visitors of a project get a quarter of the account's share, all visitors of the account
 * half. Requests with a key pay from the account only. Returns synchronously if the account is cached.
 */
export const ownerLookup = ({ accountOf }: Pick<Core, 'accountOf'>) => {
  const accounts = byteBoundedCache<string, string>({
    maxBytes: 1024 * 1024,
    sizeOf: (projectId, account) => 2 * (projectId.length + account.length),
  })
  return (scope: Scope, request: Request): Owner | Promise<Owner> => {
    const { projectId } = scope
    if (projectId === '') return strangerOwner(request)
    const ownerIn = (account: string): Owner =>
      isVisitor(scope) ? visitorOwner(request, projectId, account) : [accountPayer(account)]
    const known = accounts.get(projectId)
    if (known !== undefined) return ownerIn(known)
    return accountOf(projectId).then((account) => {
      accounts.set(projectId, account)
      return ownerIn(account)
    })
  }
}
