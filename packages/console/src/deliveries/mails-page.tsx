import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { call, urlOf } from '../api/client.js'
import type { FoundMail } from '../api/types.js'
import { reasonLabels } from '../campaigns/reasons.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink, DownloadLink } from '../ui/button.js'
import { Select, TextField } from '../ui/field.js'
import { Badge, Empty, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { type Column, Second, Table } from '../ui/table.js'
import {
  explainHref,
  filterNames,
  type MailFilters,
  mailHref,
  mailKinds,
  mailStatusBadges,
  queryOf,
} from './mail-filters.js'
import css from './mails.module.css'
import { SendAgainDialog } from './send-again.js'

const pageSize = 30
const noFilters = Object.fromEntries(filterNames.map((name) => [name, ''])) as MailFilters

export const MailBadge = ({ mail: { status } }: { readonly mail: Pick<FoundMail, 'status'> }) => {
  const { say } = useText()
  const [tone, icon, label] = mailStatusBadges[status]
  return (
    <Badge tone={tone} icon={icon}>
      {say(label)}
    </Badge>
  )
}

const Filters = ({
  filters,
  onSearch,
}: {
  readonly filters: MailFilters
  readonly onSearch: (filters: MailFilters) => void
}) => {
  const { say } = useText()
  const [draft, setDraft] = useState(filters)
  const change = (name: keyof MailFilters) => (value: string) => setDraft((before) => ({ ...before, [name]: value }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(Object.fromEntries(filterNames.map((name) => [name, draft[name].trim()])) as MailFilters)
  }
  return (
    <form className={css.filters} onSubmit={submit} noValidate aria-label={say('mailSearch')}>
      <TextField label={say('email')} type="email" value={draft.email} onChange={change('email')} dense />
      <TextField label={say('mailSubject')} value={draft.subject} onChange={change('subject')} maxLength={200} dense />
      <TextField label={say('mailReason')} value={draft.reason} onChange={change('reason')} maxLength={200} dense />
      <Select
        label={say('status')}
        value={draft.status}
        onChange={change('status')}
        options={[
          { value: '', label: say('all') },
          ...Object.entries(mailStatusBadges).map(([value, [, , label]]) => ({ value, label: say(label) })),
        ]}
        dense
      />
      <Select
        label={say('mailKind')}
        value={draft.kind}
        onChange={change('kind')}
        options={[
          { value: '', label: say('all') },
          ...Object.entries(mailKinds).map(([value, label]) => ({ value, label: say(label) })),
        ]}
        dense
      />
      <TextField label={say('mailFrom')} type="date" value={draft.from} onChange={change('from')} dense />
      <TextField label={say('mailTo')} type="date" value={draft.to} onChange={change('to')} dense />
      <Button type="submit" kind="primary" icon="search">
        {say('mailFind')}
      </Button>
    </form>
  )
}

const useReasons = () => {
  const { say } = useText()
  return ({ status, errors, bounced }: FoundMail): readonly string[] => [
    ...(bounced ? [say('hasBounced')] : []),
    ...errors.map(({ name, message }) =>
      status === 'excluded' && Object.hasOwn(reasonLabels, message)
        ? say(reasonLabels[message as keyof typeof reasonLabels])
        : message === ''
          ? name
          : message,
    ),
  ]
}

export const MailsPage = () => {
  const { say, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const [, navigate] = useLocation()
  const { get, set } = useUrlState()
  const [again, setAgain] = useState<FoundMail>()
  const reasonsOf = useReasons()
  const filters = Object.fromEntries(filterNames.map((name) => [name, get(name)])) as MailFilters
  const after = get('after')
  const query = queryOf(filters)
  const mayRead = may('addresses.read')
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'mails', query, after],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/mails', {
        query: { ...query, limit: pageSize, ...(after !== '' && { after }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    enabled: mayRead,
  })
  const columns: readonly Column<FoundMail>[] = [
    { id: 'mail', label: say('email'), cell: ({ subject }) => <Second>{subject}</Second> },
    {
      id: 'kind',
      label: say('mailKind'),
      cell: ({ kind, name }) => (
        <span>
          {say(mailKinds[kind])}
          {name !== '' && <Second>{name}</Second>}
        </span>
      ),
    },
    {
      id: 'status',
      label: say('status'),
      cell: (mail) => (
        <span>
          <MailBadge mail={mail} />
          {reasonsOf(mail).map((reason) => (
            <Second key={reason}>{reason}</Second>
          ))}
        </span>
      ),
    },
    { id: 'time', label: say('time'), isShort: true, cell: ({ sentAt, createdAt }) => dateTime(sentAt ?? createdAt) },
  ]
  return (
    <PageFrame
      title={say('deliveries')}
      actions={
        <>
          {mayRead && (
            <ButtonLink icon="search" href={href('/deliveries/explain')}>
              {say('mailExplain')}
            </ButtonLink>
          )}
          {may('addresses.export') && (
            <DownloadLink href={urlOf(projectId, '/mails/export', { query })}>{say('mailExport')}</DownloadLink>
          )}
        </>
      }
    >
      {!mayRead ? (
        <Note>{say('errorForbidden')}</Note>
      ) : (
        <>
          <Filters
            key={filterNames.map((name) => filters[name]).join('\n')}
            filters={filters}
            onSearch={(chosen) => set({ ...chosen, after: undefined })}
          />
          {error ? (
            <ErrorNote error={error} onRetry={() => void refetch()} />
          ) : !data ? (
            <Skeleton rows={10} tall />
          ) : data.items.length === 0 && data.next === undefined && after === '' ? (
            Object.keys(query).length > 0 ? (
              <Empty
                icon="search"
                title={say('nothingMatches')}
                action={<Button onPress={() => set({ ...noFilters, after: undefined })}>{say('showAll')}</Button>}
              >
                {say('nothingMatchesText')}
              </Empty>
            ) : (
              <Empty icon="mail" title={say('mailNone')}>
                {say('mailNoneText')}
              </Empty>
            )
          ) : (
            <div className={css.found}>
              {data.items.length > 0 && (
                <Table
                  label={say('deliveries')}
                  columns={columns}
                  rows={data.items}
                  keyOf={({ deliveryId }) => deliveryId}
                  nameOf={({ email }) => email}
                  hrefOf={({ deliveryId }) => mailHref(href, deliveryId)}
                  menuOf={(mail) => [
                    {
                      id: 'explain',
                      label: say('mailExplainThis'),
                      icon: 'search',
                      onAction: () => navigate(explainHref(href, mail.email)),
                    },
                    ...(mail.status === 'failed' && mail.kind === 'campaign' && may('emails.send')
                      ? [
                          {
                            id: 'again',
                            label: say('sendAgain'),
                            icon: 'retry' as const,
                            onAction: () => setAgain(mail),
                          },
                        ]
                      : []),
                  ]}
                  isWaiting={isPlaceholderData}
                  tall
                />
              )}
              {data.searchedTo && <Note>{say('mailSearchedTo', { time: dateTime(data.searchedTo) })}</Note>}
              <nav className={css.pages} aria-label={say('pages')}>
                {after !== '' && <Button onPress={() => set({ after: undefined })}>{say('mailNewest')}</Button>}
                {data.next !== undefined && (
                  <Button icon="right" isDisabled={isPlaceholderData} onPress={() => set({ after: data.next })}>
                    {say(data.searchedTo ? 'mailSearchFurther' : 'mailOlder')}
                  </Button>
                )}
                {data.next === undefined && !data.searchedTo && <span>{say('mailEnd')}</span>}
              </nav>
            </div>
          )}
        </>
      )}
      {again && (
        <SendAgainDialog
          campaign={{ id: again.emailId, name: again.name }}
          deliveryId={again.deliveryId}
          email={again.email}
          onClose={() => setAgain(undefined)}
        />
      )}
    </PageFrame>
  )
}

/** Addresses of the console that named an address here lead to its explanation. */
export const DeliveriesPage = () => {
  const { href } = useProject()
  const { get } = useUrlState()
  const address = get('address')
  if (address === '') return <MailsPage />
  return <Redirect to={explainHref(href, address)} replace />
}
