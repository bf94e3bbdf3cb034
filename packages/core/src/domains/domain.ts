import { z } from 'zod'
import { hostName } from '../kernel/host-name.js'
import { type InProject, recordView } from '../kernel/shapes.js'

export const regionSchemaOf = (regions: readonly string[]) =>
  z
    .enum(regions as readonly [string, ...string[]], { error: `expected one of ${regions.join(', ')}` })
    .describe('One of the regions of this server')

export const Regions = z
  .object({ regions: z.array(z.string()).describe('Regions that a domain or sender may have') })
  .meta({ id: 'Regions' })
export type Regions = z.output<typeof Regions>

const recordOf = <T extends 'CNAME' | 'TXT' | 'MX'>(type: T) =>
  z.object({
    type: z.literal(type).describe('Type of the DNS record'),
    name: z.string().describe('Full name of the record'),
    value: z.string().describe('What it says'),
  })

/** gaps.md, "Domains". */
export const RequiredDns = z
  .object({
    dkimCNAMEs: z.array(recordOf('CNAME')).describe('Location of the DKIM keys'),
    mx: recordOf('MX')
      .extend({ priority: z.string().describe('Preference of this mail server; the lowest comes first') })
      .describe('Receives the bounces of the MAIL FROM sub-domain'),
    spf: recordOf('TXT').describe('Who may send for the MAIL FROM sub-domain'),
    dmarc: recordOf('TXT').describe('Policy for mail that fails authentication'),
    tracking: recordOf('CNAME').optional().describe('Points the trackingDomain to this server'),
    ownership: recordOf('TXT')
      .optional()
      .describe(
        'Says which account the owner means; there where another account has added the domain, too, or its DKIM records were in DNS before',
      ),
  })
  .meta({ id: 'RequiredDns', description: 'The records that the owner of the domain has to add' })
export type RequiredDns = z.output<typeof RequiredDns>

const checkedAt = z.string().describe('Time of the last DNS response; empty before the first')

const Reading = z
  .object({
    present: z.boolean().describe('Whether DNS has this record'),
    raw: z
      .string()
      .describe(
        'The record as found; where it does not fit, what stands there instead, a line each; cut where it is long',
      ),
    checkedAt,
  })
  .meta({ id: 'DnsReading', description: 'A record as it was last seen' })
export type DnsReading = z.output<typeof Reading>

/** Spec, "Fields of `observed`". */
export const ObservedDns = z
  .object({
    spf: Reading,
    dmarc: Reading,
    mx: Reading,
    ownership: Reading.optional().describe('Absent where none is required'),
    dkim: z
      .object({
        selectors: z.array(z.string()).describe('Those with a correct record'),
        allOk: z
          .boolean()
          .describe(
            'All are in place, the ownership record as well where one is required, and the sending provider confirms it',
          ),
        checkedAt,
      })
      .describe('The keys that sign its mail'),
    tracking: Reading.optional().describe('With a trackingDomain; not required for verification'),
    allOk: z.boolean().describe('SPF, DMARC, MX and DKIM alike'),
  })
  .meta({ id: 'ObservedDns', description: 'The records as the last check saw them' })
export type ObservedDns = z.output<typeof ObservedDns>

const Tenant = z
  .object({
    name: z.string().describe('Name of the tenant at the provider'),
    configurationSet: z.string().describe('The provider’s configuration set for its mail'),
  })
  .meta({ id: 'Tenant', description: 'The project’s own resources at the mail provider' })
export type Tenant = z.output<typeof Tenant>

export type Domain = InProject & {
  /** Lower-case ASCII. */
  readonly domain: string
  readonly region: string
  readonly tenant: Tenant
  /** At or below the domain, in lower-case ASCII. */
  readonly trackingDomain?: string
  readonly requiredDns: RequiredDns
  readonly observed: ObservedDns
  /** First successful check; only it creates the no-reply identity. */
  readonly verifiedAt?: string
  /** First check that missed DKIM after verification; absent while DKIM is found. */
  readonly dkimLostAt?: string
  /** When DNS first named only another account's project; absent while verified. */
  readonly takenAt?: string
}

const HostName = z.string().transform((text, context) => {
  const name = hostName(text.trim())
  if (name !== undefined) return name
  context.addIssue({ code: 'custom', message: 'expected a domain name such as example.com' })
  return z.NEVER
})

const TrackingDomain = HostName.describe(
  'A name below the domain, such as links.example.com, that links of its mails lead by once its CNAME is there',
)

/** What a client writes; the region must be one of the server's. */
export const DomainFields = z
  .strictObject({
    domain: HostName.describe('A host name with a dot, at most 200 characters; kept in lower-case ASCII'),
    region: z.string().min(1).describe('One of the regions of this server'),
    trackingDomain: TrackingDomain.optional(),
  })
  .meta({ id: 'DomainFields' })
export type DomainFields = z.input<typeof DomainFields>

export const DomainChanges = z
  .strictObject({
    trackingDomain: z.union([TrackingDomain, z.null()]).optional().describe('null takes it away'),
  })
  .meta({ id: 'DomainChanges' })
export type DomainChanges = z.input<typeof DomainChanges>

export const DomainShape = recordView({
  domain: z.string().describe('In lower-case ASCII'),
  region: z.string().describe('Region in which the domain sends'),
  tenant: Tenant,
  trackingDomain: z.string().optional().describe('Host of the links in its mails, once verified'),
  requiredDns: RequiredDns,
  observed: ObservedDns,
})

/** A domain in responses, with the DNS records to set and what the last check found. */
export const DomainView = DomainShape.extend({
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      'That its records or links lead to localhost; that the DKIM it had is missing, and until when it may be sent from; that DNS has to say, or says, whose it is; absent while all is well',
    ),
}).meta({ id: 'Domain', description: 'A domain that the project sends from, in one region' })
export type DomainView = z.output<typeof DomainView>

type Seen = { readonly observed: ObservedDns }

export const hasDkim = ({ observed }: Seen): boolean => observed.dkim.allOk

/** The tracking domain, once a check has verified the domain and found the tracking record. */
export const trackingHostOf = (domain: Pick<Domain, 'trackingDomain' | 'observed'>): string | undefined =>
  hasDkim(domain) && domain.observed.tracking?.present ? domain.trackingDomain : undefined

/** Required for production access (spec, "Production-access request status"). */
export const hasSpfMxAndDkim = (domain: Seen): boolean =>
  hasDkim(domain) && domain.observed.spf.present && domain.observed.mx.present

type OverallDomainStatus = 'none' | 'pending' | 'verified'

/** The domain is empty if none is verified. */
export const overallDomainStatus = (
  domains: readonly (Seen & Pick<Domain, 'domain'>)[],
): { readonly domainStatus: OverallDomainStatus; readonly verifiedDomain: string } => {
  const verified = domains.find(hasDkim)
  if (verified) return { domainStatus: 'verified', verifiedDomain: verified.domain }
  return { domainStatus: domains.length > 0 ? 'pending' : 'none', verifiedDomain: '' }
}
