import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { callOperator } from '../api/client.js'
import type { OperatedAccount, OperatorProjectRow } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { SearchField } from '../ui/field.js'
import type { IconName } from '../ui/icons.js'
import { Empty, ErrorNote, Skeleton } from '../ui/states.js'
import { type Column, Pager, Second, Table } from '../ui/table.js'
import { ProjectStatus } from './project-card.js'

const limit = 20

type Found<T> = { readonly items: readonly T[]; readonly count: number }
type Asked = { readonly search: string; readonly skip: number; readonly limit: number }

const Listing = <T extends { readonly _id: string; readonly name: string }>({
  name,
  title,
  icon,
  columns,
  load,
  searchable = true,
}: {
  readonly name: string
  readonly title: keyof Messages
  readonly icon: IconName
  readonly columns: readonly Column<T>[]
  readonly load: (asked: Asked, signal: AbortSignal) => Promise<Found<T>>
  readonly searchable?: boolean
}): ReactNode => {
  const { say } = useText()
  const { get, set } = useUrlState()
  const [search, skip] = [get('find'), skipOf(get('skip'))]
  const [typed, setTyped] = useState(search)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['operator', name, search, skip],
    queryFn: ({ signal }) => load({ search, skip, limit }, signal),
    placeholderData: keepPreviousData,
  })
  const find = (words: string) => set({ find: words.trim(), skip: undefined })
  return (
    <>
      {searchable && (
        <SearchField
          label={say('opFind')}
          value={typed}
          onChange={(words) => {
            setTyped(words)
            if (words === '') find('')
          }}
          onSubmit={find}
          clearLabel={say('clear')}
        />
      )}
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.count === 0 ? (
        <Empty icon={icon} title={say('nothingMatches')}>
          {say('nothingMatchesText')}
        </Empty>
      ) : (
        <div>
          <Table<T>
            label={say(title)}
            columns={columns}
            rows={data.items}
            keyOf={({ _id }) => _id}
            nameOf={(row) => row.name}
            hrefOf={({ _id }) => `/operator/${title === 'projects' ? 'projects' : 'accounts'}/${_id}`}
            isWaiting={isPlaceholderData}
          />
          <Pager
            label={say(title)}
            skip={skip}
            limit={limit}
            count={data.count}
            onSkip={(to) => set({ skip: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
    </>
  )
}

/** `accountId`: only its projects. */
export const ProjectList = ({ accountId }: { readonly accountId?: string }) => {
  const { say, number, date } = useText()
  return (
    <Listing<OperatorProjectRow>
      name={`projects ${accountId ?? ''}`}
      title="projects"
      icon="send"
      searchable={accountId === undefined}
      load={(query, signal) => callOperator('get', '/projects', { query: { ...query, accountId }, signal })}
      columns={[
        { id: 'name', label: say('name'), cell: ({ accountName }) => <Second>{accountName}</Second> },
        { id: 'status', label: say('status'), cell: (project) => <ProjectStatus {...project} /> },
        { id: 'sent', label: say('opSent30'), numeric: true, cell: ({ sent }) => number(sent) },
        {
          id: 'limit',
          label: say('opLimit'),
          numeric: true,
          cell: ({ monthlyLimit }) => (monthlyLimit === 0 ? say('unlimited') : number(monthlyLimit)),
        },
        { id: 'credit', label: say('creditLeft'), numeric: true, cell: ({ credits }) => number(credits) },
        { id: 'created', label: say('added'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
      ]}
    />
  )
}

export const ProjectsPage = () => {
  const { say } = useText()
  return (
    <PageFrame title={say('projects')}>
      <ProjectList />
    </PageFrame>
  )
}

export const AccountsPage = () => {
  const { say, number, date } = useText()
  return (
    <PageFrame title={say('opAccounts')}>
      <Listing<OperatedAccount>
        name="accounts"
        title="opAccounts"
        icon="people"
        load={(query, signal) => callOperator('get', '/accounts', { query, signal })}
        columns={[
          { id: 'name', label: say('name'), cell: ({ urlFriendlyName }) => <Second>{urlFriendlyName}</Second> },
          { id: 'credit', label: say('creditLeft'), numeric: true, cell: ({ credits }) => number(credits) },
          { id: 'projects', label: say('projects'), numeric: true, cell: ({ projects }) => number(projects) },
          { id: 'created', label: say('added'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
        ]}
      />
    </PageFrame>
  )
}
