import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { call } from '../api/client.js'
import type { AudiencePreview, Campaign } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './audience.module.css'
import { reasonLabels } from './reasons.js'

type Reason = keyof AudiencePreview['excluded']

/** Counts again after every save: the server also says whether the saved content can be sent. */
export const useAudience = ({ _id: id, updatedAt }: Campaign) => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'audience', id, updatedAt],
    queryFn: ({ signal }) => call(projectId, 'get', '/campaigns/{id}/audience', { params: { id }, signal }),
    placeholderData: (before) => before,
    staleTime: 30_000,
  })
}

const Excluded = ({ campaign, reason }: { readonly campaign: Campaign; readonly reason: Reason }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [projectId, 'excluded', campaign._id, campaign.subscriberListId, campaign.segmentId, reason],
    queryFn: ({ pageParam, signal }) =>
      call(projectId, 'get', '/campaigns/{id}/audience/excluded', {
        params: { id: campaign._id },
        query: { reason, after: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={2} />
  return (
    <div className={css.addresses}>
      {data.pages.flatMap(({ emails }) => emails).join(', ')}
      {hasNextPage && (
        <Button small isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {say(isFetchingNextPage ? 'loading' : 'showMore')}
        </Button>
      )}
    </div>
  )
}

/** The server lists addresses of these; the list of contacts has the others. */
const listed: readonly Reason[] = ['suppressed', 'unengaged']
const statuses: readonly Reason[] = ['paused', 'unsubscribed', 'unverified']

const most = (preview: AudiencePreview) =>
  Math.max(1, preview.outsideSegment, ...Object.values(preview.excluded).map((n) => n ?? 0))

/** Everybody on the list is in one term of the sum. */
export const WhoGetsIt = ({
  campaign,
  preview,
}: {
  readonly campaign: Campaign
  readonly preview: AudiencePreview
}) => {
  const { say, number } = useText()
  const { href, may } = useProject()
  const [open, setOpen] = useState<Reason>()
  const { subscribers, recipients, outsideSegment, excluded } = preview
  const reasons = (Object.entries(excluded) as [Reason, number][]).sort(([, a], [, b]) => b - a)
  const left = subscribers - recipients
  const bar = (n: number) => (
    <span className={css.bar}>
      <span style={{ width: `${(n / most(preview)) * 100}%` }} />
    </span>
  )
  return (
    <>
      <p className={css.sum}>
        <b>{number(subscribers)}</b>
        <small>{say(campaign.unopenedOf === undefined ? 'onTheList' : 'didNotOpen')}</small>
        <small>=</small>
        <b className={css.get}>{number(recipients)}</b>
        <small>{say('getIt', { count: recipients })}</small>
        <small>+</small>
        <b>{number(left)}</b>
        <small>{say('leftOut')}</small>
      </p>
      <ul className={css.reasons}>
        {outsideSegment > 0 && (
          <li>
            <span>{say('outsideSegment')}</span>
            {bar(outsideSegment)}
            <span className={css.number}>{number(outsideSegment)}</span>
          </li>
        )}
        {reasons.map(([reason, n]) => (
          <li key={reason}>
            <span>{say(reasonLabels[reason])}</span>
            {bar(n)}
            <span className={css.number}>
              {!may('addresses.read') ? (
                number(n)
              ) : campaign.unopenedOf === undefined && statuses.includes(reason) ? (
                <Link
                  href={`${href('/audience/contacts')}?${new URLSearchParams({ list: campaign.subscriberListId, status: reason })}`}
                >
                  {number(n)}
                </Link>
              ) : campaign.unopenedOf !== undefined || listed.includes(reason) ? (
                <Button
                  kind="linklike"
                  aria-expanded={open === reason}
                  aria-label={say('showAddresses', { count: n, reason: say(reasonLabels[reason]) })}
                  onPress={() => setOpen(open === reason ? undefined : reason)}
                >
                  {number(n)}
                </Button>
              ) : (
                number(n)
              )}
            </span>
            {open === reason && <Excluded campaign={campaign} reason={reason} />}
          </li>
        ))}
      </ul>
    </>
  )
}

const limitLabels = { credit: 'creditLeft', 'sandbox-day': 'sandboxLeft', month: 'monthLeft' } as const

export const Limits = ({ preview: { limits, recipients } }: { readonly preview: AudiencePreview }) => {
  const { say, number } = useText()
  return (
    <dl className={css.limits}>
      {limits.map(({ name, left }) => (
        <div key={name} className={left !== undefined && left < recipients ? css.short : undefined}>
          <dt>{say(limitLabels[name])}</dt>
          <dd>
            {left === undefined
              ? say('unlimited')
              : left < recipients
                ? say('limitShort', { left: number(left), missing: number(recipients - left) })
                : say('limitAfter', { left: number(left), after: number(left - recipients) })}
          </dd>
        </div>
      ))}
    </dl>
  )
}

export const Coverage = ({ campaign, preview }: { readonly campaign: Campaign; readonly preview: AudiencePreview }) => {
  const { say, number, percent } = useText()
  const { href } = useProject()
  const { emptyTags, recipients } = preview
  if (emptyTags.length === 0) return <p className={css.quiet}>{say('noMergeTags')}</p>
  return (
    <table className={css.tags}>
      <thead>
        <tr>
          <th scope="col">{say('mergeTag')}</th>
          <th scope="col">{say('lackIt')}</th>
          <th scope="col">{say('shareOfAll')}</th>
        </tr>
      </thead>
      <tbody>
        {emptyTags.map(({ tag, recipients: lacking }) => {
          const property = tag.replace('contact.', '')
          const conditions = JSON.stringify({ groups: [{ conditions: [{ property, operator: 'is-empty' }] }] })
          const { subscriberListId: list, segmentId: segment } = campaign
          const query = new URLSearchParams({ list, status: 'active', ...(segment && { segment }), conditions })
          return (
            <tr key={tag}>
              <th scope="row">
                <Long>
                  <code className={css.tag}>{`{{${tag}}}`}</code>
                </Long>
              </th>
              <td>
                {lacking === 0 ? (
                  say('nobodyLacks')
                ) : lacking === recipients ? (
                  number(lacking)
                ) : (
                  <Link href={`${href('/audience/contacts')}?${query}`}>{number(lacking)}</Link>
                )}
              </td>
              <td>{recipients > 0 ? percent(lacking / recipients) : '–'}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

export const AudienceCards = ({
  campaign,
  audience: { data, error, refetch },
  children,
  isStale = false,
}: {
  readonly campaign: Campaign
  readonly audience: Pick<ReturnType<typeof useAudience>, 'data' | 'error' | 'refetch'>
  readonly children?: React.ReactNode
  /** A change is not saved yet: the numbers are from before. */
  readonly isStale?: boolean
}) => {
  const { say, sayServer } = useText()
  return (
    <div className={css.cards}>
      <section className={css.card}>
        <div className={css.head}>
          <h2>{say('whoGetsIt')}</h2>
          {isStale && <small role="status">{say('countingAgain')}</small>}
        </div>
        {children}
        {error ? (
          <ErrorNote error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <>
            <WhoGetsIt campaign={campaign} preview={data} />
            <Limits preview={data} />
            {data.problem !== undefined && <Note kind="bad">{sayServer(data.problem)}</Note>}
            <p className={css.quiet}>{say('countedNow')}</p>
          </>
        ) : (
          <Skeleton rows={4} />
        )}
      </section>
      <section className={css.card}>
        <div className={css.head}>
          <h2>{say('mergeTags')}</h2>
          {data && <small>{say('whoLacksWhat', { count: data.recipients })}</small>}
        </div>
        {data ? <Coverage campaign={campaign} preview={data} /> : !error && <Skeleton rows={3} />}
      </section>
    </div>
  )
}
