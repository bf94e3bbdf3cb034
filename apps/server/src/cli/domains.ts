import type { DomainView } from '@posthorn/core'
import { uncheckedInput } from '@posthorn/core/ports/transport'
import { Option } from 'commander'
import {
  deleteVerb,
  listVerb,
  operatorCommandVerb,
  pageOfSlice,
  projectCommandVerb,
  resourceCommands,
  type TextTableColumns,
} from './commands.js'
import { textTable } from './output.js'

const dnsStatus = ({ observed }: DomainView) =>
  observed.dkim.allOk ? (observed.allOk ? 'all in place' : 'verified, records missing') : 'not verified'

const columns: TextTableColumns<DomainView> = {
  ID: ({ _id }) => _id,
  DOMAIN: ({ domain }) => domain,
  REGION: ({ region }) => region,
  DNS: dnsStatus,
}

/** The DNS records to add, and whether the last check found them. */
const recordsText = ({ requiredDns: { dkimCNAMEs, mx, spf, dmarc, tracking, ownership }, observed }: DomainView) =>
  textTable([
    ['TYPE', 'NAME', 'VALUE', 'SEEN'],
    ...dkimCNAMEs.map(({ type, name, value }) => [
      type,
      name,
      value,
      observed.dkim.selectors.some((selector) => name.startsWith(`${selector}.`)) ? 'yes' : 'no',
    ]),
    [mx.type, mx.name, `${mx.priority} ${mx.value}`, observed.mx.present ? 'yes' : 'no'],
    [spf.type, spf.name, spf.value, observed.spf.present ? 'yes' : 'no'],
    [dmarc.type, dmarc.name, dmarc.value, observed.dmarc.present ? 'yes' : 'no'],
    ...(tracking ? [[tracking.type, tracking.name, tracking.value, observed.tracking?.present ? 'yes' : 'no']] : []),
    ...(ownership
      ? [[ownership.type, ownership.name, ownership.value, observed.ownership?.present ? 'yes' : 'no']]
      : []),
  ])

const said = (domain: DomainView) => ({
  value: domain,
  text: [
    `${domain.domain} in ${domain.region}: ${dnsStatus(domain)}`,
    ...(domain.warnings ?? []),
    recordsText(domain),
  ].join('\n'),
})

export const domainCommands = resourceCommands('domain', 'domains that the project sends from', [
  listVerb<DomainView>({
    about: 'domains of the project',
    columns,
    none: () => 'There is no domain yet.',
    list: async ({ core, scope }, page) => pageOfSlice(await core.domains.list(scope), page),
  }),
  projectCommandVerb({
    name: 'show',
    about: 'the DNS records that a domain needs, and which were seen',
    takes: [['<id>', 'id of the domain']],
    run: async ({ core, scope }, [id = '']) => said(await core.domains.get(scope, id)),
  }),
  projectCommandVerb<{ readonly region?: string }>({
    name: 'create',
    about: 'add a domain, and say which DNS records it needs',
    takes: [['<domain>', 'such as example.com']],
    options: () => [new Option('--region <region>', 'the first of the server’s regions unless given')],
    run: async ({ core, scope }, [domain], { region }) => {
      const [first] = (await core.domains.regions(scope)).regions
      return said(await core.domains.create(scope, uncheckedInput({ domain, region: region ?? first })))
    },
  }),
  projectCommandVerb({
    name: 'check',
    about: 'look the DNS records up now',
    takes: [['<id>', 'id of the domain']],
    run: async ({ core, scope }, [id = '']) => said(await core.domains.check(scope, id)),
  }),
  operatorCommandVerb<{ readonly project?: string }>({
    name: 'release',
    about: 'take a domain away from other projects, so that its owner may add it; nothing is sent from it any more',
    takes: [['<domain>', 'such as example.com']],
    options: () => [new Option('--project <id>', 'from that project alone')],
    run: async ({ core }, [domain = ''], { project }) => {
      const released = await core.domains.release(domain, project)
      const lines = released.map((one) => `${one.domain} in ${one.region} is no longer the project ${one.projectId}’s`)
      return { value: released, text: lines.join('\n') }
    },
  }),
  deleteVerb('remove a domain', ['<id>', 'id of the domain'], ({ core, scope }, id) => core.domains.remove(scope, id)),
])
