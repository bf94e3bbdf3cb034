import { bytesOfBase32, bytesOfBase64url, toBase32 } from '../../kernel/encoding.js'
import type { Secrets } from '../../kernel/ports.js'
import type { Delivery } from '../ledger/delivery.js'

type Signing = Pick<Secrets, 'sign'>
type BounceSettings = { readonly bounceDomain?: string | undefined }
type Verifying = Pick<Secrets, 'verifiesShort'>

export type ReturnAddressKind = 'bounce' | 'unsubscribe'

/** Without a contact, the dispatch's only mail. */
export type ReturnAddress = {
  readonly kind: ReturnAddressKind
  readonly dispatchId: string
  readonly contactId?: string
}

const letters = { bounce: 'b', unsubscribe: 'u' } as const satisfies Record<ReturnAddressKind, string>

/** 96 bits, the most that keep the local part within RFC 5321's 64 octets. */
const signatureCharacters = 16
const signatureBytes = 12
const idBytes = 12

const hexadecimal = /^[0-9a-f]{24}$/

const digitOf = (code: number) => (code < 58 ? code - 48 : code - 87)

const writeHex = (bytes: Uint8Array, digits: string): void => {
  for (let i = 0; i < digits.length / 2; i += 1)
    bytes[i] = digitOf(digits.charCodeAt(2 * i)) * 16 + digitOf(digits.charCodeAt(2 * i + 1))
}
const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const signedText = (kind: ReturnAddressKind, ids: string) => `return:${kind}:${ids}`

/** At most 60 octets, case-insensitive (gaps.md, "Return addresses"). Undefined for ids not from `NewId`. */
export const returnLocalPart = (
  secrets: Signing,
  kind: ReturnAddressKind,
  { dispatchId, contactId }: Pick<Delivery, 'dispatchId' | 'contactId'>,
): string | undefined => {
  const ids = contactId === undefined ? [dispatchId] : [dispatchId, contactId]
  if (!ids.every((id) => hexadecimal.test(id))) return undefined
  const digits = ids.join('')
  const signature = secrets.sign(signedText(kind, digits), 'return-address').slice(0, signatureCharacters)
  const bytes = new Uint8Array(ids.length * idBytes + signatureBytes)
  writeHex(bytes, digits)
  bytes.set(bytesOfBase64url(signature) ?? [], ids.length * idBytes)
  return `${letters[kind]}-${toBase32(bytes)}`
}

/** On demand: most relays need neither. */
export const returnAddresses =
  ({ secrets, settings: { bounceDomain } }: { readonly secrets: Signing; readonly settings: BounceSettings }) =>
  (delivery: Pick<Delivery, 'dispatchId' | 'contactId'>) => {
    let made: { readonly reference: string | undefined } | undefined
    const reference = () => {
      made ??= { reference: returnLocalPart(secrets, 'bounce', delivery) }
      return made.reference
    }
    return {
      reference,
      envelopeFrom: (): string | undefined =>
        bounceDomain !== undefined && reference() !== undefined ? `${reference()}@${bounceDomain}` : undefined,
    }
  }

const base64urlOf = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')

const longest = 64

/** Undefined if malformed or not signed by this server. */
export const readReturnLocalPart = (secrets: Verifying, localPart: string): ReturnAddress | undefined => {
  const text = localPart.toLowerCase()
  if (text.length > longest || text[1] !== '-') return undefined
  const kind = (['bounce', 'unsubscribe'] as const).find((one) => letters[one] === text[0])
  const bytes = bytesOfBase32(text.slice(2))
  const size = (bytes?.length ?? 0) - signatureBytes
  if (!kind || !bytes || (size !== idBytes && size !== 2 * idBytes)) return undefined
  const ids = hexOf(bytes.subarray(0, size))
  const signature = base64urlOf(bytes.subarray(size))
  if (!secrets.verifiesShort(signedText(kind, ids), signature, 'return-address')) return undefined
  const contactId = ids.slice(2 * idBytes)
  return { kind, dispatchId: ids.slice(0, 2 * idBytes), ...(contactId !== '' && { contactId }) }
}
