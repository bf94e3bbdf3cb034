import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import { useLists, useSegments } from '../api/records.js'
import type { Campaign, CampaignResult } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { type CsvColumn, pagesByOffset } from '../ui/csv.js'
import { DeliveryCountsBar, DeliveryCountsLegend, DeliveryCountsLine, PeopleBar } from '../ui/delivery-counts.js'
import { DestroyDialog } from '../ui/dialog.js'
import { SearchField } from '../ui/field.js'
import { Icon } from '../ui/icons.js'
import { SavedViews } from '../ui/saved-views.js'
import { Empty, ErrorNote, Skeleton, useErrorText, useToast } from '../ui/states.js'
import { type Column, Pager, Second, Table } from '../ui/table.js'
import { hasRun, type Status, StatusBadge, statusLabel } from './campaign-status.js'
import css from './campaigns-page.module.css'
import { duplicateCampaign } from './duplicate.js'
import { NewCampaign } from './new-campaign.js'

const pageSize = 10
const statuses: readonly Status[] = ['draft', 'scheduled', 'being-sent', 'sent', 'error', 'archive']

/** In ms; while mails are being sent, and while a relay puts some off. */
const [liveInterval, putOffInterval] = [3_000, 15_000]

const emptyBooks = { recipients: 0, sent: 0, failed: 0, excluded: 0, waiting: 0 }

/** One request for the page. */
const useResults = (campaigns: readonly Campaign[]) => {
  const { projectId, may } = useProject()
  const ran = campaigns.filter(({ status, scheduledTo }) => hasRun(status) || (status === 'archive' && scheduledTo))
  const isLive = ran.some(({ status }) => status === 'being-sent')
  return useQuery({
    queryKey: [projectId, 'results', ran.map(({ _id, status }) => `${_id} ${status}`).join()],
    queryFn: async ({ signal }) => {
      const query = { ids: ran.map(({ _id }) => _id).join() }
      const { items } = await call(projectId, 'get', '/campaign-results', { query, signal })
      return new Map(items.map((one) => [one.campaignId, one]))
    },
    enabled: ran.length > 0 && may('figures.read'),
    placeholderData: keepPreviousData,
    staleTime: isLive ? 0 : 60_000,
    refetchInterval: ({ state }) =>
      isLive ? liveInterval : [...(state.data?.values() ?? [])].some(({ waiting }) => waiting > 0) && putOffInterval,
  })
}

type Results = ReturnType<typeof useResults>

const BooksCell = ({ campaign, results }: { readonly campaign: Campaign; readonly results: Results }) => {
  const { say } = useText()
  const { may } = useProject()
  const errorText = useErrorText()
  const books = results.data?.get(campaign._id)
  const isFailed = campaign.status === 'error' && campaign.errorMessage !== undefined
  return (
    <span className={css.books}>
      <DeliveryCountsBar books={books ?? emptyBooks} />
      <span className={isFailed ? css.reason : undefined}>
        {isFailed
          ? campaign.errorMessage
          : books
            ? DeliveryCountsLine({ books })
            : !hasRun(campaign.status)
              ? say('notSentYet')
              : results.error
                ? errorText(results.error)[0]
                : may('figures.read')
                  ? say('loading')
                  : ''}
      </span>
    </span>
  )
}

const RateCell = ({ result, of }: { readonly result: CampaignResult; readonly of: 'opens' | 'clicks' }) => {
  const { percent, number } = useText()
  const unique = of === 'opens' ? result.uniqueOpens : result.uniqueClicks
  const people = of === 'opens' ? result.opens : result.clicks
  const machines = of === 'opens' ? result.machineOpens : result.machineClicks
  return (
    <span className={css.rate}>
      <span>
        {percent(unique / result.sent)} <small>{number(unique)}</small>
      </span>
      {people + machines > 0 && (
        <span className={css.share}>
          <PeopleBar people={people} machines={machines} />
          {machines > 0 && (
            <span className={css.machines}>
              <Icon name="machine" size={13} />
              {percent(machines / (people + machines), 0)}
            </span>
          )}
        </span>
      )}
    </span>
  )
}

export const CampaignsPage = () => {
  const { say, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { get, set } = useUrlState()
  const status = statuses.find((one) => one === get('status'))
  const find = get('find')
  const skip = skipOf(get('skip'))
  const [removed, setRemoved] = useState<Campaign>()
  const [failed, setFailed] = useState<unknown>()
  const mayEdit = may('content.edit')

  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'campaigns', status, find, skip],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/campaigns', {
        query: { limit: pageSize, skip, ...(find && { find }) },
        filter: { status },
        signal,
      }),
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some((one) => one.status === 'being-sent' || one.status === 'scheduled') ? liveInterval : false,
  })
  const results = useResults(data?.items ?? [])
  const lists = useLists(projectId)
  const segments = useSegments(projectId)
  const audienceName = ({ subscriberListId, segmentId, unopenedOf }: Campaign) =>
    [
      lists.data?.find(({ _id }) => _id === subscriberListId)?.name ?? '',
      ...(segmentId === undefined ? [] : [segments.data?.find(({ _id }) => _id === segmentId)?.name ?? '']),
      ...(unopenedOf === undefined ? [] : [say('didNotOpen')]),
    ].join(', ')

  const act = async (run: () => Promise<unknown>, done: string) => {
    setFailed(undefined)
    try {
      await run()
      toast(done)
    } catch (thrown) {
      setFailed(thrown)
    }
    await client.invalidateQueries({ queryKey: [projectId, 'campaigns'] })
  }

  const rate = ({ _id }: Campaign, of: 'opens' | 'clicks') => {
    const result = results.data?.get(_id)
    return result && result.sent > 0 ? <RateCell result={result} of={of} /> : '–'
  }

  const columns: readonly Column<Campaign>[] = [
    {
      id: 'name',
      label: say('campaign'),
      cell: (campaign) => <Second>{audienceName(campaign)}</Second>,
    },
    { id: 'status', label: say('status'), cell: (campaign) => <StatusBadge status={campaign.status} /> },
    { id: 'books', label: say('books'), cell: (campaign) => <BooksCell campaign={campaign} results={results} /> },
    {
      id: 'opened',
      isShort: true,
      label: say('openedByPeople'),
      cell: (campaign) => rate(campaign, 'opens'),
    },
    {
      id: 'clicked',
      isShort: true,
      label: say('clickedByPeople'),
      cell: (campaign) => rate(campaign, 'clicks'),
    },
    {
      id: 'time',
      label: say('time'),
      isShort: true,
      cell: ({ status: at, scheduledTo, updatedAt, updatedBy, timeZone }) =>
        at !== 'draft' && at !== 'archive' && scheduledTo !== undefined ? (
          <span>
            {dateTime(scheduledTo, timeZone)}
            <Second>{timeZone}</Second>
          </span>
        ) : (
          <span>
            {dateTime(updatedAt)}
            <Second>{updatedBy === undefined ? say('changed') : say('byName', { name: updatedBy })}</Second>
          </span>
        ),
    },
  ]

  const menuOf = (campaign: Campaign) =>
    mayEdit
      ? [
          {
            id: 'duplicate',
            label: say('duplicate'),
            icon: 'copy' as const,
            onAction: () =>
              void act(async () => {
                const copy = await duplicateCampaign(projectId, campaign, say('copyOf', { name: campaign.name }))
                navigate(href(`/campaigns/${copy._id}`))
              }, say('duplicated')),
          },
          ...(campaign.status === 'being-sent'
            ? []
            : [
                campaign.status === 'archive'
                  ? {
                      id: 'restore',
                      label: say('backToDrafts'),
                      icon: 'pencil' as const,
                      onAction: () =>
                        void act(
                          () =>
                            call(projectId, 'patch', '/campaigns/{id}', {
                              params: { id: campaign._id },
                              body: { status: 'draft' },
                            }),
                          say('saved'),
                        ),
                    }
                  : {
                      id: 'archive',
                      label: say('archive'),
                      icon: 'archive' as const,
                      onAction: () =>
                        void act(
                          () =>
                            call(projectId, 'patch', '/campaigns/{id}', {
                              params: { id: campaign._id },
                              body: { status: 'archive' },
                            }),
                          say('archived'),
                        ),
                    },
                {
                  id: 'delete',
                  label: say('deleteMore'),
                  icon: 'trash' as const,
                  danger: true,
                  onAction: () => setRemoved(campaign),
                },
              ]),
        ]
      : []

  const exported = new Map<string, CampaignResult>()
  /** Results come from another row. */
  const pages = async function* (signal: AbortSignal) {
    const load = pagesByOffset<Campaign>(({ skip: from, limit, signal: ended }) =>
      call(projectId, 'get', '/campaigns', {
        query: { limit, skip: from, ...(find && { find }) },
        filter: { status },
        signal: ended,
      }),
    )
    for await (const items of load(signal)) {
      const ran = items.filter((one) => hasRun(one.status) || (one.status === 'archive' && one.scheduledTo))
      for (let at = 0; may('figures.read') && at < ran.length; at += pageSize) {
        const query = {
          ids: ran
            .slice(at, at + pageSize)
            .map(({ _id }) => _id)
            .join(),
        }
        const found = await call(projectId, 'get', '/campaign-results', { query, signal })
        for (const one of found.items) exported.set(one.campaignId, one)
      }
      yield items
    }
  }
  const counted = (label: string, count: (result: CampaignResult) => number): CsvColumn<Campaign> => ({
    label,
    text: ({ _id }) => {
      const result = exported.get(_id)
      return result ? String(count(result)) : ''
    },
  })
  const csv: readonly CsvColumn<Campaign>[] = [
    { label: say('campaign'), text: ({ name }) => name },
    { label: say('list'), text: audienceName },
    { label: say('status'), text: ({ status: at }) => say(statusLabel(at)) },
    { label: say('time'), text: ({ scheduledTo, updatedAt }) => scheduledTo ?? updatedAt },
    counted(say('csvRecipients'), (one) => one.recipients),
    counted(say('csvSent'), (one) => one.sent),
    counted(say('csvFailed'), (one) => one.failed),
    counted(say('csvLeftOut'), (one) => one.excluded),
    counted(say('csvWaiting'), (one) => one.waiting),
    counted(say('openedByPeople'), (one) => one.uniqueOpens),
    counted(say('clickedByPeople'), (one) => one.uniqueClicks),
  ]

  const isFiltered = status !== undefined || find !== ''
  return (
    <PageFrame
      title={say('campaigns')}
      actions={
        mayEdit && (
          <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
            {say('newCampaign')}
          </Button>
        )
      }
    >
      <SavedViews page="campaigns" />
      <div className={css.tools}>
        <fieldset className={css.tabs} aria-label={say('status')}>
          {[undefined, ...statuses].map((one) => (
            <button
              key={one ?? 'all'}
              type="button"
              className={css.tab}
              aria-current={one === status ? 'true' : undefined}
              onClick={() => set({ status: one, skip: undefined })}
            >
              {say(one === undefined ? 'all' : statusLabel(one))}
            </button>
          ))}
        </fieldset>
        <SearchField
          label={say('partOfName')}
          clearLabel={say('clear')}
          value={find}
          onChange={(value) => set({ find: value, skip: undefined })}
        />
      </div>
      {failed !== undefined && <ErrorNote error={failed} />}
      {error && !data ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={pageSize} tall />
      ) : data.count === 0 ? (
        isFiltered ? (
          <Empty
            icon="search"
            title={say('nothingMatches')}
            action={
              <Button onPress={() => set({ status: undefined, find: undefined, skip: undefined })}>
                {say('showAll')}
              </Button>
            }
          >
            {say('nothingMatchesText')}
          </Empty>
        ) : (
          <Empty
            icon="send"
            title={say('noCampaigns')}
            action={
              mayEdit && (
                <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
                  {say('newCampaign')}
                </Button>
              )
            }
          >
            {say('noCampaignsText')}
          </Empty>
        )
      ) : (
        <div>
          <Table
            label={say('campaigns')}
            columns={columns}
            rows={data.items}
            keyOf={({ _id }) => _id}
            nameOf={(campaign) => campaign.name}
            hrefOf={({ _id }) => href(`/campaigns/${_id}`)}
            menuOf={menuOf}
            isWaiting={isPlaceholderData}
            pages={pages}
            csv={csv}
            tall
          />
          <Pager
            label={say('campaigns')}
            skip={skip}
            limit={pageSize}
            count={data.count}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
          <DeliveryCountsLegend />
        </div>
      )}
      {mayEdit && (
        <NewCampaign
          isOpen={get('new') === '1'}
          segmentId={get('segment') || undefined}
          onClose={() => set({ new: undefined, segment: undefined })}
        />
      )}
      {removed && (
        <DestroyDialog
          isOpen
          title={say('deleteCampaignTitle', { name: removed.name })}
          effect={say('deleteCampaignEffect')}
          name={removed.name}
          submit={say('delete')}
          onClose={() => setRemoved(undefined)}
          onSubmit={async () => {
            await call(projectId, 'delete', '/campaigns/{id}', { params: { id: removed._id } })
            toast(say('deleted'))
            await client.invalidateQueries({ queryKey: [projectId, 'campaigns'] })
          }}
        />
      )}
    </PageFrame>
  )
}
