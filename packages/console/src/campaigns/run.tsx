import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call, urlOf } from '../api/client.js'
import { useLists } from '../api/records.js'
import type { Campaign } from '../api/types.js'
import { elementName } from '../editor/visual/names.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink, DownloadLink } from '../ui/button.js'
import { CopyDialog } from '../ui/copy-dialog.js'
import { DeliveryCountsBar, DeliveryCountsEquation, PeopleBar } from '../ui/delivery-counts.js'
import { FormDialog } from '../ui/dialog.js'
import { Select } from '../ui/field.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { StatusBadge } from './campaign-status.js'
import { duplicateCampaign, duplicateForUnopened } from './duplicate.js'
import { campaignStopped, Failures } from './failures.js'
import { booksOf, PaceCard, usePace, WaitingCard } from './live.js'
import { OverTime, Stat } from './over-time.js'
import { minutesLeft } from './pace.js'
import { reasonLabels } from './reasons.js'
import { Recipients } from './recipients.js'
import css from './run.module.css'

/** In ms. The report counts all marks of all recipients, the progress only their states. */
const [progressInterval, reportInterval] = [2_000, 8_000]
/** In ms. A campaign counts as sent while a relay still puts some mails off, perhaps for hours. */
const putOffInterval = 10_000

const shareDays = ['7', '30', '90', '365'] as const

const ShareDialog = ({
  id,
  isOpen,
  onClose,
}: {
  readonly id: string
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const { say, dateTime } = useText()
  const { projectId } = useProject()
  const [days, setDays] = useState<(typeof shareDays)[number]>('30')
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'report-link', id, days],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/campaigns/{id}/report-link', { params: { id }, query: { days }, signal }),
    enabled: isOpen,
  })
  return (
    <CopyDialog
      title={say('shareTitle')}
      text={say('shareText')}
      value={data?.url}
      isOpen={isOpen}
      onClose={onClose}
      note={data && <p>{say('validUntil', { time: dateTime(data.expiresAt) })}</p>}
    >
      <Select
        label={say('validFor')}
        value={days}
        onChange={setDays}
        options={shareDays.map((value) => ({ value, label: say('dayCount', { count: Number(value) }) }))}
        dense
      />
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
    </CopyDialog>
  )
}

export const Run = ({ campaign, onReload }: { readonly campaign: Campaign; readonly onReload: () => void }) => {
  const { say, number, percent, dateTime, time } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { get, set } = useUrlState()
  const lists = useLists(projectId)
  const [isStopping, setStopping] = useState(false)
  const [isContinuing, setContinuing] = useState(false)
  const [isResending, setResending] = useState(false)
  const [isSharing, setSharing] = useState(false)
  const [failed, setFailed] = useState<unknown>()
  const isLive = campaign.status === 'being-sent'
  const params = { id: campaign._id }
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'report', campaign._id, campaign.status],
    queryFn: ({ signal }) => call(projectId, 'get', '/campaigns/{id}/report', { params, signal }),
    refetchInterval: ({ state }) =>
      isLive ? reportInterval : state.data && state.data.waiting > 0 ? putOffInterval : false,
    staleTime: 0,
  })
  const isMoving = isLive || (data !== undefined && data.waiting > 0)
  const progress = useQuery({
    queryKey: [projectId, 'progress', campaign._id, campaign.status],
    queryFn: ({ signal }) => call(projectId, 'get', '/campaigns/{id}/progress', { params, signal }),
    refetchInterval: isLive ? progressInterval : isMoving ? putOffInterval : false,
    staleTime: 0,
  })
  const totals = useQuery({
    queryKey: [projectId, 'totals', campaign._id, campaign.status],
    queryFn: ({ signal }) => call(projectId, 'get', '/campaigns/{id}/stats', { params, signal }),
    refetchInterval: isLive ? reportInterval : false,
  })
  const { pace, points } = usePace(campaign._id, progress.data, progress.dataUpdatedAt)

  const listName = lists.data?.find(({ _id }) => _id === campaign.subscriberListId)?.name
  const part = get('part')
  const books = isLive && progress.data ? booksOf(progress.data) : data
  const minutes = books && minutesLeft(books.waiting, pace)
  const canContinue = progress.data?.canContinue === true
  const stopped =
    data?.failures.filter(({ name }) => name === campaignStopped).reduce((n, { count }) => n + count, 0) ?? 0
  const machines = totals.data && 'machineOpens' in totals.data ? totals.data : undefined
  const mayReadAddresses = may('addresses.read')
  const share = (count: number) => (data && data.sent > 0 ? percent(count / data.sent, 2) : '–')
  const stopMessage = data?.errorMessage ?? campaign.errorMessage

  const open = async (copy: Promise<Campaign>) => {
    const { _id } = await copy
    toast(say('duplicated'))
    await client.invalidateQueries({ queryKey: [projectId, 'campaigns'] })
    navigate(href(`/campaigns/${_id}`))
  }
  const others: NonNullable<typeof data>['links'] =
    data && data.otherClicks > 0
      ? [{ link: say('otherLinks'), clicks: data.otherClicks, uniqueClicks: data.otherUniqueClicks }]
      : []
  const mostClicks = Math.max(1, ...[...(data?.links ?? []), ...others].map(({ clicks }) => clicks))
  const isRepeated = (link: string) => (data?.links.filter((one) => one.link === link).length ?? 0) > 1
  const missing = [
    ...(stopped > 0 || progress.data?.expanding !== true ? [say('stoppedNote', { count: stopped })] : []),
    ...(progress.data?.expanding === true ? [say('moreFollow')] : []),
  ].join(' ')
  const duplicate = async () => {
    setFailed(undefined)
    await open(duplicateCampaign(projectId, campaign, say('copyOf', { name: campaign.name }))).catch(setFailed)
  }
  const reload = async () => {
    await client.invalidateQueries({ queryKey: [projectId] })
    onReload()
  }
  const maySend = may('emails.send')
  return (
    <PageFrame
      title={campaign.name}
      crumb={{ label: say('campaigns'), href: href('/campaigns') }}
      under={
        <span className={css.row}>
          <StatusBadge status={campaign.status} filled />
          {listName !== undefined && <span>{say('toList', { list: listName })}</span>}
          {campaign.scheduledTo !== undefined && (
            <span>
              {dateTime(campaign.scheduledTo, campaign.timeZone)} {campaign.timeZone}
            </span>
          )}
        </span>
      }
      actions={
        <>
          {may('content.edit') && (
            <Button icon="copy" onPress={() => void duplicate()}>
              {say('duplicate')}
            </Button>
          )}
          {may('content.edit') && !isLive && data !== undefined && data.sent > data.uniqueOpens && (
            <Button icon="send" onPress={() => setResending(true)}>
              {say('resend')}
            </Button>
          )}
          {may('addresses.export') && (
            <DownloadLink
              href={urlOf(projectId, '/campaigns/{id}/recipients/export', { params, query: { format: 'csv' } })}
            >
              {say('exportRecipients')}
            </DownloadLink>
          )}
          <Button icon="link" onPress={() => setSharing(true)}>
            {say('shareReport')}
          </Button>
          {isLive && maySend && (
            <Button danger icon="stop" onPress={() => setStopping(true)}>
              {say('stopMore')}
            </Button>
          )}
          {canContinue && maySend && (
            <Button kind="primary" icon="send" onPress={() => setContinuing(true)}>
              {say('continueSending')}
            </Button>
          )}
        </>
      }
    >
      {failed !== undefined && <ErrorNote error={failed} />}
      {stopMessage !== undefined && (
        <Note kind="bad">
          <p>{say('stoppedBecause')}</p>
          <p>{stopMessage}</p>
          {canContinue && <p>{missing}</p>}
        </Note>
      )}
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {progress.error && isLive && <ErrorNote error={progress.error} onRetry={() => void progress.refetch()} />}
      {!data || !books ? (
        !error && <Skeleton />
      ) : (
        <>
          <section className={css.card} aria-label={say('books')}>
            <div className={css.top}>
              <div className={css.first}>
                <DeliveryCountsEquation
                  books={books}
                  large
                  {...(mayReadAddresses && {
                    hrefOf: (one) => `${href(`/campaigns/${campaign._id}`)}?part=${one}`,
                  })}
                />
                {isLive && (
                  <div className={css.left} role="status">
                    <b>{minutes === undefined ? say('timeLeftUnknown') : say('minutesLeft', { count: minutes })}</b>
                    <small>
                      {minutes === undefined
                        ? say('measuringPace')
                        : say('doneAt', { time: time(Date.now() + minutes * 60_000, campaign.timeZone) })}
                    </small>
                  </div>
                )}
              </div>
              <DeliveryCountsBar books={books} large />
              <p className={css.quiet}>{say('booksNote')}</p>
            </div>
            <div className={css.stats}>
              <Stat
                icon="eye"
                label={say('openedByPeople')}
                share={share(data.uniqueOpens)}
                basis={say('mailCount', { count: data.uniqueOpens })}
              />
              <Stat
                icon="click"
                label={say('clickedByPeople')}
                share={share(data.uniqueClicks)}
                basis={say('mailCount', { count: data.uniqueClicks })}
              />
              <Stat
                icon="leave"
                label={say('reasonUnsubscribed')}
                share={share(data.unsubscribed)}
                basis={say('andPaused', { count: data.unsubscribed, paused: data.paused })}
              />
              <Stat
                icon="barred"
                label={say('bounced')}
                share={share(data.bounced)}
                basis={say('mailCount', { count: data.bounced })}
              />
              <Stat
                icon="warning"
                label={say('complained')}
                share={share(data.complained)}
                basis={say('mailCount', { count: data.complained })}
              />
            </div>
            {data.recipientsRemovedAt !== undefined && (
              <p className={css.foot}>{say('recipientsRemoved', { time: dateTime(data.recipientsRemovedAt) })}</p>
            )}
          </section>
          {part !== '' && mayReadAddresses && (
            <Recipients campaign={campaign} part={part} onClose={() => set({ part: undefined, skip: undefined })} />
          )}
          {isMoving && progress.data && (
            <div className={css.grid}>
              <PaceCard pace={pace} points={points} waitsFor={progress.data.waitsFor} />
              <WaitingCard campaign={campaign} progress={progress.data} at={progress.dataUpdatedAt} />
            </div>
          )}
          <div className={css.grid}>
            <OverTime
              id={campaign._id}
              from={campaign.scheduledTo ?? campaign.createdAt}
              isLive={campaign.status === 'being-sent'}
              statsOf={(query, signal) =>
                call(projectId, 'get', '/campaigns/{id}/stats', {
                  params: { id: campaign._id },
                  query: { ...query, timeZone: campaign.timeZone },
                  signal,
                })
              }
            />
            <section className={css.card}>
              <div className={css.head}>
                <h2>{say('peopleAndMachinesTitle')}</h2>
              </div>
              <div className={css.body}>
                {machines ? (
                  (
                    [
                      ['opens', machines.opens, machines.machineOpens],
                      ['clicks', machines.clicks, machines.machineClicks],
                    ] as const
                  ).map(([what, people, byMachines]) => (
                    <div key={what} className={css.people}>
                      <p>{say(what)}</p>
                      <PeopleBar people={people} machines={byMachines} />
                      <p>{say('peopleAndMachines', { people, machines: byMachines })}</p>
                    </div>
                  ))
                ) : totals.error ? (
                  <ErrorNote error={totals.error} onRetry={() => void totals.refetch()} />
                ) : (
                  <Skeleton rows={2} />
                )}
                <Note>{say('machinesNote')}</Note>
              </div>
            </section>
          </div>
          <div className={css.grid}>
            <Failures
              campaign={campaign}
              report={data}
              {...(books && { failed: books.failed })}
              mayRetry={maySend && !isLive && !canContinue && data.recipientsRemovedAt === undefined}
              onRetried={onReload}
            />
            <section className={css.card}>
              <div className={css.head}>
                <h2>{say('leftOutCount', { count: data.excluded })}</h2>
              </div>
              {data.exclusions.length === 0 ? (
                <p className={css.body}>{say('noneLeftOut')}</p>
              ) : (
                data.exclusions.map(({ reason, count }) => (
                  <div key={reason} className={css.line}>
                    <span>{say(reasonLabels[reason])}</span>
                    <span className={css.number}>
                      {mayReadAddresses ? (
                        <ButtonLink
                          kind="linklike"
                          href={`${href(`/campaigns/${campaign._id}`)}?part=excluded&reason=${reason}`}
                        >
                          {number(count)}
                        </ButtonLink>
                      ) : (
                        number(count)
                      )}
                    </span>
                  </div>
                ))
              )}
            </section>
          </div>
          <section className={css.card}>
            <div className={css.head}>
              <h2>{say('clicksByLink')}</h2>
              <small>{say('clicksByLinkNote')}</small>
            </div>
            {data.links.length === 0 && data.otherClicks === 0 ? (
              <p className={css.body}>{say('nothingYet')}</p>
            ) : (
              [...data.links, ...others].map(({ link, blockPosition, blockName = '', clicks, uniqueClicks }) => (
                <div key={`${link} ${blockPosition ?? ''}`} className={css.linkbars}>
                  <span>
                    {link}
                    {blockName !== '' && isRepeated(link) && <small> {elementName(say, `mj-${blockName}`)}</small>}
                  </span>
                  <span className={css.clicks}>
                    <span style={{ width: `${(clicks / mostClicks) * 100}%` }} />
                  </span>
                  <span className={css.number}>{say('clicksOfMails', { clicks, mails: uniqueClicks })}</span>
                </div>
              ))
            )}
          </section>
        </>
      )}
      <ShareDialog id={campaign._id} isOpen={isSharing} onClose={() => setSharing(false)} />
      <FormDialog
        title={say('stopTitle', { name: campaign.name })}
        isOpen={isStopping}
        onClose={() => setStopping(false)}
        submit={say('stopDo')}
        danger
        onSubmit={async () => {
          await call(projectId, 'post', '/campaigns/{id}/stop', { params })
          await reload()
        }}
      >
        {books && <p>{say('stopNumbers', { sent: books.sent, count: books.waiting })}</p>}
        <p>{say('stopText')}</p>
      </FormDialog>
      <FormDialog
        title={say('continueTitle', { name: campaign.name })}
        isOpen={isContinuing}
        onClose={() => setContinuing(false)}
        submit={say('continueSending')}
        onSubmit={async () => {
          await call(projectId, 'post', '/campaigns/{id}/continue', { params })
          await reload()
        }}
      >
        <p>{missing}</p>
        <p>{say('retryText')}</p>
        <p>{say('retryNote')}</p>
      </FormDialog>
      <FormDialog
        title={say('resendTitle')}
        isOpen={isResending}
        onClose={() => setResending(false)}
        submit={say('resendDo')}
        onSubmit={() => open(duplicateForUnopened(projectId, campaign, say('resendName', { name: campaign.name })))}
      >
        {data && <p>{say('resendNumbers', { count: Math.max(0, data.sent - data.uniqueOpens), sent: data.sent })}</p>}
        <p>{say('resendText')}</p>
        <Note>{say('resendMachines')}</Note>
      </FormDialog>
    </PageFrame>
  )
}
