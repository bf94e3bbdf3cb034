/** Formats are slow to create, and most programs show no page. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const day = once(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
)
const minute = once(() => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }))
const whole = once(() => new Intl.NumberFormat('en-GB'))
const oneDigit = once(() => new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 }))

export const dayOf = (iso: string): string => day().format(new Date(iso))
export const timeOf = (iso: string): string => `${minute().format(new Date(iso))} UTC`
export const numberOf = (n: number): string => whole().format(n)

/** Units of 1,000. */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${oneDigit().format(bytes / 1_000)} kB` : `${oneDigit().format(bytes / 1_000_000)} MB`
}

/** Display name, or else the address. */
export const nameOf = (mailbox: string): string => {
  const [before = '', address] = mailbox.split('<', 2)
  const name = address === undefined ? '' : before.trim().replaceAll('"', '').trim()
  return name || (address ?? before).split('>', 1)[0]?.trim() || 'Nobody'
}
