import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import type { Domain } from '../api/types.js'
import { listPageSize, NamedList } from '../audience/named-page.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { TextField } from '../ui/field.js'
import { Second } from '../ui/table.js'
import { DomainBadge, domainText } from './domain-badge.js'
import { checkedAtOf, recordsOf } from './domain-state.js'
import { RegionSelect } from './region-select.js'
import { SendingCard } from './sending-card.js'
import { useRegions, useSendingFigures } from './sending-queries.js'

export const DomainsPage = () => {
  const { say, number, dateTime } = useText()
  const { projectId, href } = useProject()
  const [, navigate] = useLocation()
  const { data: figures } = useSendingFigures()
  const { data: regions = [] } = useRegions()
  const [chosen, setRegion] = useState('')
  const [trackingDomain, setTrackingDomain] = useState('')
  const region = chosen === '' ? (regions[0] ?? '') : chosen
  const sentFrom = (domain: Domain) =>
    figures?.production?.domains.find((one) => one.domain === domain.domain && one.region === domain.region)
  return (
    <NamedList<Domain>
      title="domains"
      icon="globe"
      emptyTitle="noDomains"
      emptyText="noDomainsText"
      addLabel="newDomain"
      submitLabel="addOne"
      nameLabel="domainName"
      nameField="domain"
      kind="domains"
      permission="settings.edit"
      tools={<SendingCard reputationHref={href('/sending/reputation')} />}
      load={async (skip, signal) => {
        const { items } = await call(projectId, 'get', '/domains', { signal })
        return { items: items.slice(skip, skip + listPageSize), count: items.length }
      }}
      keyOf={({ _id }) => _id}
      nameOf={({ domain }) => domain}
      hrefOf={({ _id }) => href(`/sending/domains/${_id}`)}
      onAdd={async (domain) => {
        const tracking = trackingDomain.trim()
        const { _id } = await call(projectId, 'post', '/domains', {
          body: { domain, region, ...(tracking !== '' && { trackingDomain: tracking }) },
        })
        setTrackingDomain('')
        navigate(href(`/sending/domains/${_id}`))
      }}
      form={(problemAt) => (
        <>
          <RegionSelect value={region} onChange={setRegion} error={problemAt('region')} />
          <TextField
            label={say('trackingDomain')}
            value={trackingDomain}
            onChange={setTrackingDomain}
            note={say('trackingNote')}
            error={problemAt('trackingDomain')}
            maxLength={200}
          />
        </>
      )}
      columns={[
        { id: 'domain', label: say('domain'), cell: (domain) => <Second>{domain.region}</Second> },
        {
          id: 'status',
          label: say('status'),
          cell: (domain) => <DomainBadge domain={domain} />,
          text: (domain) => domainText(say, domain),
        },
        {
          id: 'records',
          label: say('recordsTitle'),
          cell: (domain) => {
            if (checkedAtOf(domain) === '') return '–'
            const records = recordsOf(domain)
            const count = records.filter(({ isPresent }) => isPresent).length
            return say('recordsInPlace', { count, all: number(records.length) })
          },
        },
        {
          id: 'sent',
          label: say('sentIn90Days'),
          isShort: true,
          cell: (domain) => {
            const sent = sentFrom(domain)?.sent
            return sent === undefined ? '–' : number(sent)
          },
        },
        {
          id: 'checked',
          label: say('lastChecked'),
          isShort: true,
          cell: (domain) => {
            const at = checkedAtOf(domain)
            return at === '' ? '–' : dateTime(at)
          },
        },
      ]}
    />
  )
}
