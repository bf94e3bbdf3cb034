import type { Domain } from '../api/types.js'

export type Purpose = 'dkim' | 'mx' | 'spf' | 'dmarc' | 'tracking' | 'ownership'

export type DnsRecord = {
  readonly purpose: Purpose
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority?: string
  /** Undefined before the first check. */
  readonly isPresent: boolean | undefined
  /** What DNS has instead of `value`; else empty. */
  readonly found: string
}

type Recorded = Pick<Domain, 'requiredDns' | 'observed'>
type Wanted = { readonly type: string; readonly name: string; readonly value: string; readonly priority?: string }

/** The records that the owner adds, each with what the last check saw. */
export const recordsOf = ({ requiredDns, observed }: Recorded): readonly DnsRecord[] => {
  const { dkimCNAMEs, mx, spf, dmarc, tracking, ownership } = requiredDns
  const { selectors, checkedAt } = observed.dkim
  const read = (purpose: Exclude<Purpose, 'dkim'>, wanted: Wanted | undefined): readonly DnsRecord[] => {
    if (!wanted) return []
    const seen = observed[purpose]
    const isRead = seen !== undefined && seen.checkedAt !== ''
    const found = seen && seen.raw !== wanted.value ? seen.raw : ''
    return [{ ...wanted, purpose, isPresent: isRead ? seen.present : undefined, found }]
  }
  return [
    ...dkimCNAMEs.map((wanted): DnsRecord => {
      const [selector = ''] = wanted.name.split('._domainkey.')
      return {
        ...wanted,
        purpose: 'dkim',
        isPresent: checkedAt === '' ? undefined : selectors.includes(selector),
        found: '',
      }
    }),
    ...read('mx', mx),
    ...read('spf', spf),
    ...read('dmarc', dmarc),
    ...read('tracking', tracking),
    ...read('ownership', ownership),
  ]
}

/** Latest reading of a record; empty before the first check. */
export const checkedAtOf = ({ observed }: Pick<Domain, 'observed'>): string => {
  const { dkim, mx, spf, dmarc, tracking, ownership } = observed
  const times = [dkim, mx, spf, dmarc, tracking, ownership].map((reading) => reading?.checkedAt ?? '')
  return times.sort().at(-1) ?? ''
}

const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

export type Grace = { readonly since: string; readonly until: string; readonly warning: string }

/** Since when DKIM is missing, and when mail stops: only a warning of the API says so. */
export const graceOf = ({ warnings = [] }: Pick<Domain, 'warnings'>, now: number): Grace | undefined => {
  for (const warning of warnings) {
    const [since, until] = warning.match(instants) ?? []
    if (since !== undefined && until !== undefined && Date.parse(until) > now) return { since, until, warning }
  }
  return undefined
}

/** The warning with its times as `shown` writes them. */
export const withTimes = (warning: string, shown: (instant: string) => string): string =>
  warning.replace(instants, (instant) => shown(instant))

export type DomainState = 'verified' | 'ending' | 'unchecked' | 'unverified'

export const stateOf = (domain: Domain, now: number): DomainState => {
  if (domain.observed.dkim.allOk) return 'verified'
  if (graceOf(domain, now)) return 'ending'
  return checkedAtOf(domain) === '' ? 'unchecked' : 'unverified'
}

/** The domain of the project that an address leaves from. */
export const domainFor = (
  { email, region }: { readonly email: string; readonly region: string },
  domains: readonly Domain[],
): Domain | undefined => {
  const host = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.find((one) => one.domain === host && one.region === region)
}
