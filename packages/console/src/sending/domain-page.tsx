import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { call, urlOf } from '../api/client.js'
import { useSenders } from '../api/records.js'
import type { Domain } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { DestroyDialog, FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { DnsRecords } from './dns-records.js'
import { DomainBadge } from './domain-badge.js'
import { domainFor, type Grace, graceOf, recordsOf, withTimes } from './domain-state.js'
import css from './sending.module.css'
import { useOverview } from './sending-queries.js'

const hour = 60 * 60_000

const Clock = ({ domain, grace: { since, until } }: { readonly domain: string; readonly grace: Grace }) => {
  const { say, dateTime } = useText()
  const [begin, end] = [Date.parse(since), Date.parse(until)]
  const passed = Math.min(1, Math.max(0, (Date.now() - begin) / (end - begin)))
  return (
    <section className={css.clock}>
      <div className={css.clockHead}>
        <div>
          <h2>
            <Long>{say('mailStops', { domain, time: dateTime(until) })}</Long>
          </h2>
          <p>{say('mailStopsText', { time: dateTime(since) })}</p>
        </div>
        <span className={css.left}>{say('hoursLeft', { hours: Math.floor((end - Date.now()) / hour) })}</span>
      </div>
      <div className={css.bar}>
        <span style={{ width: `${passed * 100}%` }} />
      </div>
      <div className={css.ends}>
        <span>{dateTime(since)}</span>
        <span>{dateTime(until)}</span>
      </div>
    </section>
  )
}

const acceptedTexts = { relay: 'homeDomainRelayText', account: 'homeDomainAccountText' } as const

/** What the server warns of; the time that is left has a place of its own. */
const Warnings = ({ domain }: { readonly domain: Domain }) => {
  const { say, dateTime } = useText()
  const { senderDomains } = useOverview().data ?? {}
  const grace = graceOf(domain, Date.now())
  const others = (domain.warnings ?? []).filter((warning) => warning !== grace?.warning)
  return (
    <>
      {grace && senderDomains === 'verified' && <Clock domain={domain.domain} grace={grace} />}
      {grace && senderDomains !== undefined && senderDomains !== 'verified' && (
        <Note kind="warn">
          {say('homeDomainStopsText', { time: dateTime(grace.since) })} {say(acceptedTexts[senderDomains])}
        </Note>
      )}
      {others.map((warning) => (
        <Note key={warning} kind="warn">
          {withTimes(warning, dateTime)}
        </Note>
      ))}
    </>
  )
}

const TrackingDialog = ({ domain, onClose }: { readonly domain: Domain; readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [name, setName] = useState(domain.trackingDomain ?? '')
  return (
    <FormDialog
      title={say('trackingDomain')}
      isOpen
      onClose={onClose}
      submit={say('save')}
      why={name.trim() === (domain.trackingDomain ?? '') ? say('nothingChanged') : undefined}
      onSubmit={async () => {
        const trackingDomain = name.trim() === '' ? null : name.trim()
        await call(projectId, 'patch', '/domains/{domainId}', {
          params: { domainId: domain._id },
          body: { trackingDomain },
        })
        toast(say('saved'))
        await client.invalidateQueries({ queryKey: [projectId, 'domains'] })
      }}
    >
      {(problemAt) => (
        <TextField
          label={say('trackingDomain')}
          value={name}
          onChange={setName}
          note={say('trackingNote')}
          error={problemAt('trackingDomain')}
          maxLength={200}
          autoFocus
        />
      )}
    </FormDialog>
  )
}

const TrackingCard = ({ domain }: { readonly domain: Domain }) => {
  const { say } = useText()
  const { may } = useProject()
  const [isEditing, setEditing] = useState(false)
  const { trackingDomain: name, observed } = domain
  const isUsed = observed.dkim.allOk && observed.tracking?.present === true
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2 className={css.grow}>{say('trackingDomain')}</h2>
        {may('settings.edit') && (
          <Button small icon="pencil" onPress={() => setEditing(true)}>
            {say('edit')}
          </Button>
        )}
      </div>
      <Long>
        {name === undefined ? say('trackingNone') : say(isUsed ? 'trackingUsed' : 'trackingUnused', { name })}
      </Long>
      {isEditing && <TrackingDialog domain={domain} onClose={() => setEditing(false)} />}
    </section>
  )
}

const SendersCard = ({ domain }: { readonly domain: Domain }) => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const { data, error, refetch } = useSenders(projectId)
  const own = data?.filter((sender) => domainFor(sender, [domain]) !== undefined)
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2 className={css.grow}>{say('sendersOfDomain')}</h2>
        <Link href={href('/sending/senders')}>{say('senders')}</Link>
      </div>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !own ? (
        <Skeleton rows={2} />
      ) : own.length === 0 ? (
        <p className={css.quiet}>{say('noSendersOfDomain')}</p>
      ) : (
        <ul className={css.list}>
          {own.map(({ _id, name, email }) => (
            <li key={_id}>
              <Long>{name === '' ? email : `${name} · ${email}`}</Long>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const useCheck = (id: string) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [isChecking, setChecking] = useState(false)
  const [error, setError] = useState<unknown>()
  const check = async () => {
    setChecking(true)
    setError(undefined)
    try {
      await call(projectId, 'post', '/domains/{domainId}/check', { params: { domainId: id }, body: {} })
      await client.invalidateQueries({ queryKey: [projectId] })
      toast(say('domainChecked'))
    } catch (thrown) {
      setError(thrown)
    } finally {
      setChecking(false)
    }
  }
  return { isChecking, error, check }
}

export const DomainPage = () => {
  const { say } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { id } = useParams<{ id: string }>()
  const [isRemoving, setRemoving] = useState(false)
  const checking = useCheck(id)
  const {
    data: domain,
    error,
    refetch,
  } = useQuery({
    queryKey: [projectId, 'domains', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/domains/{domainId}', { params: { domainId: id }, signal }),
  })
  const mayEdit = may('settings.edit')
  const records = domain ? recordsOf(domain) : []
  const waitsForProvider =
    domain?.observed.dkim.allOk === false &&
    domain.observed.dkim.checkedAt !== '' &&
    records.every(({ purpose, isPresent }) => isPresent === true || !['dkim', 'ownership'].includes(purpose))
  return (
    <PageFrame
      title={domain?.domain ?? say('domain')}
      crumb={{ label: say('domains'), href: href('/sending/domains') }}
      under={
        domain && (
          <span className={css.under}>
            {domain.region}
            <DomainBadge domain={domain} />
          </span>
        )
      }
      actions={
        domain &&
        mayEdit && (
          <>
            <Button danger icon="trash" onPress={() => setRemoving(true)}>
              {say('deleteMore')}
            </Button>
            <Button kind="primary" icon="retry" isDisabled={checking.isChecking} onPress={() => void checking.check()}>
              {say(checking.isChecking ? 'working' : 'checkNow')}
            </Button>
          </>
        )
      }
    >
      {checking.error !== undefined && <ErrorNote error={checking.error} />}
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !domain ? (
        <Skeleton />
      ) : (
        <>
          <Warnings domain={domain} />
          {waitsForProvider && <Note>{say('providerWaits')}</Note>}
          <DnsRecords
            domain={domain}
            records={records}
            csv={urlOf(projectId, '/domains/{domainId}/export/csv', { params: { domainId: id } })}
          />
          <TrackingCard domain={domain} />
          <SendersCard domain={domain} />
        </>
      )}
      {domain && (
        <DestroyDialog
          isOpen={isRemoving}
          title={say('deleteDomainTitle', { name: domain.domain })}
          effect={say('deleteDomainEffect')}
          name={domain.domain}
          submit={say('delete')}
          onClose={() => setRemoving(false)}
          onSubmit={async () => {
            await call(projectId, 'delete', '/domains/{domainId}', { params: { domainId: id } })
            toast(say('deleted'))
            navigate(href('/sending/domains'))
            for (const lists of ['page', 'all'])
              await client.invalidateQueries({ queryKey: [projectId, 'domains', lists] })
          }}
        />
      )}
    </PageFrame>
  )
}
