import type { Secrets } from '../kernel/ports.js'

type Addressed = { readonly _id: string; readonly emailKey: string }

/** Of 80 bits: what a token says of the address that its mail goes to. It stays the same when the server's secret is replaced. */
export const addressMark = (secrets: Pick<Secrets, 'digest'>, { _id, emailKey }: Addressed): string =>
  secrets.digest(`${_id} ${emailKey}`).slice(0, 20)

/**
 * Whether the token went to the address that the contact has now, so that its holder reads that address's mail. An older token
 * does not say where it went: it counts until the address is changed.
 */
export const provesAddress = (
  secrets: Pick<Secrets, 'digest'>,
  contact: Addressed & { readonly addressChangedAt?: string },
  { a }: { readonly a?: string | undefined },
): boolean => (a === undefined ? contact.addressChangedAt === undefined : a === addressMark(secrets, contact))
