import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { Campaign, Recipient } from '../api/types.js'
import { explainHref } from '../deliveries/mail-filters.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { SearchField } from '../ui/field.js'
import { Badge, Empty, ErrorNote, Skeleton } from '../ui/states.js'
import { Pager, Second, Table } from '../ui/table.js'
import { reasonLabels } from './reasons.js'
import css from './run.module.css'

const pageSize = 15

/** The recipients' states that make up a term of the books. */
const statusesOf: Readonly<Record<string, readonly Recipient['status'][]>> = {
  sent: ['sent'],
  failed: ['failed'],
  waiting: ['scheduled', 'being-sent'],
}

const titles = { sent: 'booksSent', failed: 'booksFailed', waiting: 'booksWaiting', excluded: 'booksOut' } as const

const isPart = (text: string): text is keyof typeof titles => Object.hasOwn(titles, text)
const isReason = (text: string): text is keyof typeof reasonLabels => Object.hasOwn(reasonLabels, text)

type Shown = {
  readonly key: string
  readonly email: string
  readonly time: string
  readonly detail: string
  readonly status: Recipient['status'] | undefined
}

export const Recipients = ({
  campaign,
  part,
  onClose,
}: {
  readonly campaign: Campaign
  readonly part: string
  readonly onClose: () => void
}) => {
  const { say, dateTime } = useText()
  const { projectId, href } = useProject()
  const { get, set } = useUrlState()
  const skip = skipOf(get('skip'))
  const reason = get('reason')
  const [email, setEmail] = useState('')
  const [asked, setAsked] = useState('')
  const [status, setStatus] = useState(0)
  const isExcluded = part === 'excluded'
  const statuses = statusesOf[part] ?? []
  const shown = statuses[status] ?? statuses[0]
  const params = { id: campaign._id }
  const filter = asked === '' ? {} : { email: asked }
  const recipients = useQuery({
    queryKey: [projectId, 'recipients', campaign._id, shown, skip, asked, campaign.status],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/campaigns/{id}/recipients', {
        params,
        query: { limit: pageSize, skip },
        filter: { ...filter, status: shown },
        signal,
      }),
    enabled: !isExcluded && shown !== undefined,
    placeholderData: keepPreviousData,
  })
  const excluded = useQuery({
    queryKey: [projectId, 'exclusions', campaign._id, reason, skip, asked, campaign.status],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/campaigns/{id}/exclusions', {
        params,
        query: { limit: pageSize, skip },
        filter: { ...filter, ...(isReason(reason) && { reason }) },
        signal,
      }),
    enabled: isExcluded,
    placeholderData: keepPreviousData,
  })
  if (!isPart(part)) return null
  const found = isExcluded ? excluded : recipients
  const rows: readonly Shown[] = isExcluded
    ? (excluded.data?.items ?? []).map((one) => ({
        key: one.deliveryId,
        email: one.email,
        time: one.createdAt,
        detail: say(reasonLabels[one.reason]),
        status: undefined,
      }))
    : (recipients.data?.items ?? []).map((one) => ({
        key: one.deliveryId,
        email: one.email,
        time: one.sentAt ?? one.createdAt,
        detail: one.errors.map(({ name, message }) => (message === '' ? name : message)).join(' · '),
        status: one.status,
      }))
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h2>{say(titles[part])}</h2>
        <small>{isExcluded && isReason(reason) ? say(reasonLabels[reason]) : ''}</small>
        <SearchField
          label={say('exactAddress')}
          clearLabel={say('clear')}
          value={email}
          onChange={(value) => {
            setEmail(value)
            if (value === '') setAsked('')
          }}
          onSubmit={(value) => {
            setAsked(value.trim())
            set({ skip: undefined })
          }}
        />
        {statuses.length > 1 && (
          <Button small onPress={() => setStatus((status + 1) % statuses.length)}>
            {say(shown === 'being-sent' ? 'showQueued' : 'showInTransfer')}
          </Button>
        )}
        <Button kind="quiet" small icon="close" aria-label={say('close')} onPress={onClose} />
      </div>
      <div className={css.body}>
        {found.error ? (
          <ErrorNote error={found.error} onRetry={() => void found.refetch()} />
        ) : !found.data ? (
          <Skeleton rows={4} />
        ) : rows.length === 0 ? (
          <Empty icon="search" title={say('nothingMatches')}>
            {say('nothingMatchesText')}
          </Empty>
        ) : (
          <div>
            <Table
              label={say(titles[part])}
              rows={rows}
              keyOf={({ key }) => key}
              nameOf={(row) => row.email}
              hrefOf={(row) => explainHref(href, row.email)}
              isWaiting={found.isPlaceholderData}
              exports={false}
              columns={[
                { id: 'email', label: say('email'), cell: () => null },
                {
                  id: 'detail',
                  label: say(isExcluded ? 'reason' : 'reply'),
                  cell: ({ detail, status: at }) =>
                    detail === '' ? (
                      at === 'sent' ? (
                        <Badge tone="good" icon="check">
                          {say('booksSent')}
                        </Badge>
                      ) : (
                        '–'
                      )
                    ) : isExcluded ? (
                      detail
                    ) : (
                      <code>{detail}</code>
                    ),
                },
                { id: 'time', label: say('time'), cell: ({ time }) => <Second>{dateTime(time)}</Second> },
              ]}
            />
            <Pager
              label={say(titles[part])}
              skip={skip}
              limit={pageSize}
              count={found.data.count}
              onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
            />
          </div>
        )}
      </div>
    </section>
  )
}
