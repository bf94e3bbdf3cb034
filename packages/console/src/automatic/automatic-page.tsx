import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useLists } from '../api/records.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button, Segmented } from '../ui/button.js'
import { DestroyDialog } from '../ui/dialog.js'
import { Empty, ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { type Column, Pager, Second, Table } from '../ui/table.js'
import css from './automatic.module.css'
import {
  type AutomaticEmail,
  type AutomaticEmailTotals,
  copyOfEmail,
  kinds,
  kindsLabels,
  listEmails,
  removeEmail,
  statsOf,
} from './emails.js'
import { NewEmail } from './new-email.js'

const pageSize = 15

/** Emails that programs send: to one address, or to a list. */
export const AutomaticPage = () => {
  const { say, number, dateTime, percent } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { get, set } = useUrlState()
  const kind = kinds.find((one) => one === get('kind')) ?? 'transactional'
  const skip = skipOf(get('skip'))
  const [removed, setRemoved] = useState<AutomaticEmail>()
  const [failed, setFailed] = useState<unknown>()
  const mayEdit = may('content.edit')
  const lists = useLists(projectId)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'automatic', kind, skip],
    queryFn: ({ signal }) =>
      listEmails(projectId, kind, { limit: pageSize, skip, sort: 'updatedAt', order: 'desc' }, signal),
    staleTime: 0,
    placeholderData: (previous, query) => (query?.queryKey[2] === kind ? keepPreviousData(previous) : undefined),
  })
  const figures = useQueries({
    queries: (data?.items ?? []).map(({ _id }) => ({
      queryKey: [projectId, 'automatic-figures', _id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => statsOf(projectId, kind, _id, {}, signal),
      enabled: may('figures.read'),
    })),
    combine: (all) =>
      new Map(
        all.flatMap(({ data: totals }, at): [string, AutomaticEmailTotals][] => {
          const id = data?.items[at]?._id
          return id !== undefined && totals && 'sent' in totals ? [[id, totals]] : []
        }),
      ),
  })
  const duplicate = async (email: AutomaticEmail) => {
    setFailed(undefined)
    try {
      const copy = await copyOfEmail(projectId, kind, email, say('copyOf', { name: email.name }))
      navigate(href(`/automatic/${kind}/${copy._id}`))
    } catch (thrown) {
      setFailed(thrown)
    }
  }
  const share = (of: 'uniqueOpens' | 'uniqueClicks') => (email: AutomaticEmail) => {
    const totals = figures.get(email._id)
    return totals && totals.sent > 0 ? percent(totals[of] / totals.sent) : '–'
  }
  const count = (of: 'sent' | 'failed') => (email: AutomaticEmail) => {
    const totals = figures.get(email._id)
    return totals ? number(totals[of]) : '–'
  }
  const columns: readonly Column<AutomaticEmail>[] = [
    {
      id: 'name',
      label: say('name'),
      cell: ({ subject, subscriberListId }) => (
        <>
          <Second>{subject}</Second>
          {subscriberListId !== undefined && (
            <Second>{lists.data?.find(({ _id }) => _id === subscriberListId)?.name ?? ''}</Second>
          )}
        </>
      ),
    },
    { id: 'sent', label: say('statusSent'), numeric: true, cell: count('sent') },
    { id: 'failed', label: say('importFailed'), numeric: true, cell: count('failed') },
    { id: 'opened', label: say('openedByPeople'), numeric: true, cell: share('uniqueOpens') },
    { id: 'clicked', label: say('clickedByPeople'), numeric: true, cell: share('uniqueClicks') },
    { id: 'changed', label: say('changed'), isShort: true, cell: ({ updatedAt }) => dateTime(updatedAt) },
  ]
  const add = mayEdit && (
    <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
      {say(kind === 'triggered' ? 'autoNewTriggered' : 'autoNewTransactional')}
    </Button>
  )
  return (
    <PageFrame title={say('automatic')} actions={add}>
      <div className={css.row}>
        <Segmented
          label={say('type')}
          value={kind}
          onChange={(to) => set({ kind: to === 'transactional' ? undefined : to, skip: undefined })}
          choices={kinds.map((value) => ({ value, label: say(kindsLabels[value]) }))}
        />
      </div>
      <Note>{say(kind === 'triggered' ? 'autoTriggeredText' : 'autoTransactionalText')}</Note>
      {failed !== undefined && <ErrorNote error={failed} />}
      {error && !data ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.count === 0 ? (
        <Empty icon="bolt" title={say('autoNone')} action={add}>
          {say('autoNoneText')}
        </Empty>
      ) : (
        <div>
          <Table
            label={say(kindsLabels[kind])}
            columns={columns}
            rows={data.items}
            keyOf={({ _id }) => _id}
            nameOf={({ name }) => name}
            hrefOf={({ _id }) => href(`/automatic/${kind}/${_id}`)}
            isWaiting={isPlaceholderData}
            {...(mayEdit && {
              menuOf: (email: AutomaticEmail) => [
                {
                  id: 'duplicate',
                  label: say('duplicate'),
                  icon: 'copy' as const,
                  onAction: () => void duplicate(email),
                },
                {
                  id: 'delete',
                  label: say('deleteMore'),
                  icon: 'trash' as const,
                  danger: true,
                  onAction: () => setRemoved(email),
                },
              ],
            })}
          />
          <Pager
            label={say(kindsLabels[kind])}
            skip={skip}
            limit={pageSize}
            count={data.count}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
      {mayEdit && <NewEmail kind={kind} isOpen={get('new') === '1'} onClose={() => set({ new: undefined })} />}
      {removed && (
        <DestroyDialog
          isOpen
          title={say('galleryDelete', { name: removed.name })}
          effect={say('autoDeleteEffect')}
          name={removed.name}
          submit={say('delete')}
          onClose={() => setRemoved(undefined)}
          onSubmit={async () => {
            await removeEmail(projectId, kind, removed._id)
            toast(say('deleted'))
            await client.invalidateQueries({ queryKey: [projectId, 'automatic'] })
          }}
        />
      )}
    </PageFrame>
  )
}
