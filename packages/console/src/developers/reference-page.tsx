import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { SearchField } from '../ui/field.js'
import { Empty, ErrorNote, Skeleton } from '../ui/states.js'
import { type Column, Table } from '../ui/table.js'
import { found, type Operation } from './description.js'
import css from './developers.module.css'
import { ReferenceLink, useApiDescription } from './shared.js'

export const routeOf = ({ method, path }: Pick<Operation, 'method' | 'path'>) => `${method.toUpperCase()} ${path}`

export const ReferencePage = () => {
  const { say } = useText()
  const { href } = useProject()
  const { get, set } = useUrlState()
  const { data, error, refetch } = useApiDescription()
  const search = get('find') ?? ''
  const columns: readonly Column<Operation>[] = [
    { id: 'operation', label: say('apiOperation'), cell: (one) => <code>{routeOf(one)}</code> },
  ]
  const operations = data ? found(data.operations, search) : []
  return (
    <PageFrame title={say('apiReference')} actions={<ReferenceLink />}>
      <p className={css.quiet}>{say('apiText')}</p>
      <SearchField
        label={say('apiFind')}
        value={search}
        onChange={(find) => set({ find: find || undefined })}
        clearLabel={say('clear')}
      />
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={8} />
      ) : operations.length === 0 ? (
        <Empty title={say('nothingMatches')} icon="code">
          {say('apiNothing')}
        </Empty>
      ) : (
        data.tags.map(({ name, description }) => {
          const rows = operations.filter(({ tag }) => tag === name)
          if (rows.length === 0) return null
          return (
            <section key={name} className={css.stack} aria-label={name} lang="en">
              <h2>{name}</h2>
              {description && <p className={css.quiet}>{description}</p>}
              <Table
                label={name}
                columns={columns}
                rows={rows}
                keyOf={routeOf}
                nameOf={({ summary }) => summary}
                hrefOf={({ operationId }) => href(`/developers/api/${operationId}`)}
                exports={false}
              />
            </section>
          )
        })
      )}
    </PageFrame>
  )
}
