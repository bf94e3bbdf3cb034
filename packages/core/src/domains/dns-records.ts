import { without } from '../kernel/merged.js'
import type { Domain, RequiredDns } from './domain.js'
import type { DomainIdentity } from './ports.js'

const dkim = '._domainkey.'

/** As Amazon SES requires, MX and SPF belong to the MAIL FROM sub-domain `mail.`. */
export const requiredDnsOf = (
  domain: string,
  { dkim: keys, bounceHost, spf }: Pick<DomainIdentity, 'dkim' | 'bounceHost' | 'spf'>,
): RequiredDns => ({
  dkimCNAMEs: keys.map(({ selector, target }) => ({
    type: 'CNAME',
    name: `${selector}${dkim}${domain}`,
    value: target,
  })),
  mx: { type: 'MX', name: `mail.${domain}`, value: bounceHost, priority: '10' },
  spf: { type: 'TXT', name: `mail.${domain}`, value: spf },
  dmarc: { type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none;' },
})

export const withTrackingDnsRecord = (
  required: RequiredDns,
  trackingDomain: string | undefined,
  publicUrl: string,
): RequiredDns => ({
  ...without(required, 'tracking'),
  ...(trackingDomain !== undefined && {
    tracking: { type: 'CNAME', name: trackingDomain, value: new URL(publicUrl).hostname },
  }),
})

/** RFC 6376 section 3.6.2.1. */
export const dkimSelectorOf = (name: string): string => name.slice(0, name.indexOf(dkim))

export type DnsRow = { readonly type: string; readonly name: string; readonly value: string; readonly priority: string }

export const dnsRows = ({ dkimCNAMEs, mx, spf, dmarc, tracking, ownership }: RequiredDns): readonly DnsRow[] =>
  [...dkimCNAMEs, mx, spf, dmarc, tracking ?? [], ownership ?? []].flat().map((record) => ({ priority: '', ...record }))

const thisMachine = /(?:^|\.)(?:localhost|127(?:\.\d{1,3}){3})$|^\[::1\]$/

/** Warns if DNS records or mail links would lead recipients to their own machine. */
export const localhostWarning = (
  { domain, requiredDns }: Pick<Domain, 'domain' | 'requiredDns'>,
  publicUrl: string,
): string | undefined => {
  const hosts = [new URL(publicUrl).hostname, requiredDns.mx.value, requiredDns.tracking?.value ?? '']
  const local = hosts.find((host) => thisMachine.test(host))
  return local === undefined
    ? undefined
    : `Records of ${domain}, or links of its mails, lead to ${local}, which only this machine reaches. Set the public URL (POSTHORN_PUBLIC_URL) to where recipients reach this server, then delete the domain and add it again.`
}
