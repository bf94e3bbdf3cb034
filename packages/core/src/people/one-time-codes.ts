import type { CredentialHasher } from './ports.js'

/** In seconds, the X of RFC 6238. */
const stepSeconds = 30
const digits = 6
/** Accepted steps before and after the current one, for clocks that differ by up to 30 s. */
const tolerance = 1

export const totpStepAt = (now: Date): number => Math.floor(now.getTime() / 1000 / stepSeconds)

/** HOTP (RFC 4226 section 5.3); TOTP (RFC 6238) with a counter of 30 s steps. */
export const oneTimeCode = (
  { hmacSha1 }: Pick<CredentialHasher, 'hmacSha1'>,
  secret: Uint8Array,
  step: number,
  length = digits,
): string => {
  const message = new DataView(new ArrayBuffer(8))
  message.setBigUint64(0, BigInt(step))
  const mac = hmacSha1(secret, new Uint8Array(message.buffer))
  const offset = (mac.at(-1) ?? 0) & 15
  const number = new DataView(mac.buffer, mac.byteOffset, mac.byteLength).getUint32(offset) & 0x7fffffff
  return String(number % 10 ** length).padStart(length, '0')
}

/** Undefined if the code is wrong, or its step not later than `after`: no code is accepted twice. */
export const totpStepOfCode = (
  credentials: Pick<CredentialHasher, 'hmacSha1'>,
  secret: Uint8Array,
  code: string,
  now: Date,
  after = 0,
): number | undefined => {
  const current = totpStepAt(now)
  for (let step = current - tolerance; step <= current + tolerance; step += 1)
    if (step > after && oneTimeCode(credentials, secret, step) === code) return step
  return undefined
}

/** For the QR code of an authenticator app (Google's key URI format). */
export const authenticatorUri = (email: string, secret: string): string =>
  `otpauth://totp/${encodeURIComponent(`Posthorn:${email}`)}?secret=${secret}&issuer=Posthorn`
