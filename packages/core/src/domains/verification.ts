import { dkimSelectorOf } from './dns-records.js'
import type { DnsReading, ObservedDns, RequiredDns } from './domain.js'
import type { MailExchange } from './ports.js'

/** Undefined for a query that failed. */
export type DnsLookupResults = {
  /** In the records' order. */
  readonly cnames: readonly (readonly string[] | undefined)[]
  readonly confirmed: boolean | undefined
  readonly mx: readonly MailExchange[] | undefined
  readonly spf: readonly string[] | undefined
  readonly dmarc: readonly string[] | undefined
  readonly tracking?: readonly string[] | undefined
  readonly ownership?: readonly string[] | undefined
}

const unread: DnsReading = { present: false, raw: '', checkedAt: '' }

export const initialObservedDns: ObservedDns = {
  spf: unread,
  dmarc: unread,
  mx: unread,
  dkim: { selectors: [], allOk: false, checkedAt: '' },
  allOk: false,
}

const sameName = (a: string, b: string): boolean => plainName(a) === plainName(b)
const plainName = (name: string) => name.toLowerCase().replace(/\.$/, '')

const spfVersion = /^v=spf1(?= |$)/i

/** The terms before `all`; later ones have no effect (RFC 7208 section 5.1). */
const passing = (record: string): readonly string[] => {
  const terms = record.toLowerCase().split(/ +/).slice(1)
  const end = terms.findIndex((term) => /^[+?~-]?all$/.test(term))
  return (end === -1 ? terms : terms.slice(0, end)).map((term) => term.replace(/^\+/, '')).filter((term) => term !== '')
}

/** The record that permits all that is required; several SPF records are invalid (RFC 7208 section 4.5). */
export const fittingSpf = (required: string, texts: readonly string[]): string | undefined => {
  const [record, ...others] = texts.filter((text) => spfVersion.test(text))
  if (record === undefined || others.length > 0) return undefined
  const terms = passing(record)
  return passing(required).every((term) => terms.includes(term)) ? record : undefined
}

const dmarcVersion = /^v\s*=\s*DMARC1\s*(?=;|$)/

/** With a known policy; several records count as none (RFC 7489 section 6.6.3). */
export const usableDmarcRecord = (texts: readonly string[]): string | undefined => {
  const [record, ...others] = texts.filter((text) => dmarcVersion.test(text))
  if (record === undefined || others.length > 0) return undefined
  const tags = record.split(';').map((tag) => tag.replace(/\s+/g, '').toLowerCase())
  const policy = tags.find((tag) => tag.startsWith('p='))?.slice(2)
  const reported = policy === undefined && tags.some((tag) => tag.startsWith('rua='))
  return reported || ['none', 'quarantine', 'reject'].includes(policy ?? '') ? record : undefined
}

/** The most records of a name, and characters of each, that are stored. */
const shownRecords = 10
const shownLength = 500

/** Control characters could control a terminal or imitate another record. */
const printable = (record: string): string => record.replace(/\p{Cc}/gu, '\u{fffd}')

const shown = (records: readonly string[]): string =>
  [
    ...records
      .slice(0, shownRecords)
      .map((record) => printable(record.length > shownLength ? `${record.slice(0, shownLength)}…` : record)),
    ...(records.length > shownRecords ? [`… and ${records.length - shownRecords} more`] : []),
  ].join('\n')

export const dnsReadingOfRecords = (
  /** The required record or, if it is missing, the existing ones. */
  found: string | undefined,
  all: readonly string[],
  checkedAt: string,
): DnsReading => ({
  present: found !== undefined,
  raw: shown(found === undefined ? all : [found]),
  checkedAt,
})

const dkimOf = (
  required: RequiredDns,
  { cnames, confirmed }: DnsLookupResults,
  before: ObservedDns['dkim'],
  now: string,
) => {
  if (confirmed === undefined || cnames.includes(undefined)) return before
  const inPlace = required.dkimCNAMEs.filter(({ value }, i) => cnames[i]?.some((target) => sameName(target, value)))
  return {
    selectors: inPlace.map(({ name }) => dkimSelectorOf(name)),
    allOk: confirmed && inPlace.length > 0 && inPlace.length === required.dkimCNAMEs.length,
    checkedAt: now,
  }
}

const trackingOf = (
  { tracking: required }: RequiredDns,
  { tracking }: DnsLookupResults,
  before: ObservedDns,
  now: string,
): DnsReading | undefined => {
  if (!required) return undefined
  if (!tracking) return before.tracking ?? unread
  return dnsReadingOfRecords(
    tracking.find((target) => sameName(target, required.value)),
    tracking,
    now,
  )
}

/** A failed query keeps the earlier observation. */
export const observedDnsFrom = (
  required: RequiredDns,
  answers: DnsLookupResults,
  before: ObservedDns,
  now: string,
): ObservedDns => {
  const { mx, spf, dmarc, ownership } = answers
  const texts = mx?.map(({ priority, exchange }) => `${priority} ${exchange}`) ?? []
  const exchange = texts.find((_, i) => sameName(mx?.[i]?.exchange ?? '', required.mx.value))
  const owner = required.ownership?.value
  const owned =
    owner === undefined
      ? undefined
      : ownership
        ? dnsReadingOfRecords(
            ownership.find((text) => text === owner),
            ownership,
            now,
          )
        : (before.ownership ?? unread)
  const dkim = dkimOf(required, answers, before.dkim, now)
  const seen = {
    spf: spf ? dnsReadingOfRecords(fittingSpf(required.spf.value, spf), spf, now) : before.spf,
    dmarc: dmarc ? dnsReadingOfRecords(usableDmarcRecord(dmarc), dmarc, now) : before.dmarc,
    mx: mx ? dnsReadingOfRecords(exchange, texts, now) : before.mx,
    ...(owned && { ownership: owned }),
    dkim: { ...dkim, allOk: dkim.allOk && owned?.present !== false },
  }
  const tracking = trackingOf(required, answers, before, now)
  return {
    ...seen,
    ...(tracking && { tracking }),
    allOk: seen.spf.present && seen.dmarc.present && seen.mx.present && seen.dkim.allOk,
  }
}
