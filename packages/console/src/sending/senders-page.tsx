import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { call } from '../api/client.js'
import { useSenders } from '../api/records.js'
import type { Domain, SenderIdentity } from '../api/types.js'
import { listPageSize, NamedList } from '../audience/named-page.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { DestroyDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { Badge, ErrorNote, Note, useToast } from '../ui/states.js'
import { Second } from '../ui/table.js'
import { DomainBadge } from './domain-badge.js'
import { domainFor } from './domain-state.js'
import { RegionSelect } from './region-select.js'
import { SendingCard } from './sending-card.js'
import { useDomains, useRegions } from './sending-queries.js'

const SenderDomain = ({
  sender,
  domains,
}: {
  readonly sender: SenderIdentity
  readonly domains: readonly Domain[] | undefined
}) => {
  const { say } = useText()
  const { href } = useProject()
  if (!domains) return '…'
  const domain = domainFor(sender, domains)
  if (!domain) return <Second>{say('notOwnDomain')}</Second>
  return (
    <>
      <Link href={href(`/sending/domains/${domain._id}`)}>{domain.domain}</Link>
      <div>
        <DomainBadge domain={domain} />
      </div>
    </>
  )
}

export const SendersPage = () => {
  const { say, date } = useText()
  const { projectId, href } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const { data: domains } = useDomains()
  const { data: all } = useSenders(projectId)
  const { data: regions = [] } = useRegions()
  const [name, setName] = useState('')
  const [chosen, setRegion] = useState('')
  const [removed, setRemoved] = useState<SenderIdentity>()
  const [failed, setFailed] = useState<unknown>()
  const region = chosen === '' ? (regions[0] ?? '') : chosen
  const makeDefault = async ({ _id, email }: SenderIdentity) => {
    setFailed(undefined)
    try {
      await call(projectId, 'post', '/sender-identities/{identityId}/set-default', {
        params: { identityId: _id },
        body: {},
      })
      await client.invalidateQueries({ queryKey: [projectId, 'senders'] })
      toast(say('isDefaultNow', { email }))
    } catch (thrown) {
      setFailed(thrown)
    }
  }
  const isDefault = ({ _id }: SenderIdentity) => all?.[0]?._id === _id
  return (
    <NamedList<SenderIdentity>
      title="senders"
      icon="mail"
      emptyTitle="noSenders"
      emptyText="noSendersText"
      addLabel="newSender"
      submitLabel="addOne"
      nameLabel="email"
      nameField="email"
      kind="senders"
      permission="settings.edit"
      tools={
        <>
          <SendingCard reputationHref={href('/sending/reputation')} />
          {failed !== undefined && <ErrorNote error={failed} />}
          <Note>{say('defaultText')}</Note>
        </>
      }
      load={async (skip, signal) => {
        const { items } = await call(projectId, 'get', '/sender-identities', { signal })
        return { items: items.slice(skip, skip + listPageSize), count: items.length }
      }}
      keyOf={({ _id }) => _id}
      nameOf={({ email }) => email}
      onAdd={async (email) => {
        await call(projectId, 'post', '/sender-identities', { body: { email, name: name.trim(), region } })
        setName('')
      }}
      form={(problemAt) => (
        <>
          <TextField
            label={say('senderName')}
            value={name}
            onChange={setName}
            error={problemAt('name')}
            maxLength={200}
            dense
          />
          <RegionSelect value={region} onChange={setRegion} error={problemAt('region')} />
          <p>{say('senderNeeds')}</p>
        </>
      )}
      columns={[
        {
          id: 'email',
          label: say('email'),
          cell: (sender) => (
            <>
              {sender.name !== '' && <Second>{sender.name}</Second>}
              {isDefault(sender) && (
                <Badge tone="plain" icon="check" filled>
                  {say('defaultSender')}
                </Badge>
              )}
            </>
          ),
        },
        {
          id: 'domain',
          label: say('domain'),
          cell: (sender) => <SenderDomain sender={sender} domains={domains} />,
          text: (sender) => domainFor(sender, domains ?? [])?.domain ?? '',
        },
        { id: 'region', label: say('region'), cell: (sender) => sender.region },
        { id: 'created', label: say('added'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
      ]}
      menuOf={(sender) => [
        ...(isDefault(sender)
          ? []
          : [
              {
                id: 'default',
                label: say('makeDefault'),
                icon: 'up',
                onAction: () => void makeDefault(sender),
              } as const,
            ]),
        { id: 'delete', label: say('deleteMore'), icon: 'trash', danger: true, onAction: () => setRemoved(sender) },
      ]}
    >
      {removed && (
        <DestroyDialog
          isOpen
          title={say('deleteSenderTitle', { name: removed.email })}
          effect={say('deleteSenderEffect')}
          name={removed.email}
          submit={say('delete')}
          onClose={() => setRemoved(undefined)}
          onSubmit={async () => {
            await call(projectId, 'delete', '/sender-identities/{identityId}', { params: { identityId: removed._id } })
            toast(say('deleted'))
            await client.invalidateQueries({ queryKey: [projectId, 'senders'] })
          }}
        />
      )}
    </NamedList>
  )
}
