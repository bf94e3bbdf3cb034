import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { call } from '../api/client.js'
import type { BodyOf, ResponseOf } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from './button.js'
import { FormDialog } from './dialog.js'
import { TextField } from './field.js'
import { RowMenu } from './menu.js'
import css from './saved-views.module.css'
import { ErrorNote, useToast } from './states.js'

type Page = BodyOf<'post', '/views'>['page']
type View = ResponseOf<'get', '/views'>['items'][number]

/** Names of what an address says that is no filter: the place in the table, and what is open. */
const passing = new Set(['skip', 'new', 'add', 'event', 'view'])

/** The filters of an address, in one order. */
const filtersOf = (search: string): string => {
  const parameters = [...new URLSearchParams(search)].filter(([name, value]) => !passing.has(name) && value !== '')
  return new URLSearchParams(parameters.sort(([a], [b]) => (a < b ? -1 : 1))).toString()
}

const NameDialog = ({
  title,
  name: given = '',
  onClose,
  onSubmit,
}: {
  readonly title: string
  readonly name?: string
  readonly onClose: () => void
  readonly onSubmit: (name: string) => Promise<unknown>
}) => {
  const { say } = useText()
  const [name, setName] = useState(given)
  return (
    <FormDialog
      title={title}
      isOpen
      onClose={onClose}
      submit={say('save')}
      isDisabled={name.trim() === ''}
      onSubmit={async () => {
        await onSubmit(name.trim())
      }}
    >
      <TextField label={say('name')} value={name} onChange={setName} maxLength={80} autoFocus note={say('viewNote')} />
    </FormDialog>
  )
}

export const SavedViews = ({
  page,
  onOpen,
}: {
  readonly page: Page
  /** Before the address changes, for what the page keeps beside it. */
  readonly onOpen?: (filters: URLSearchParams) => void
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [location] = useLocation()
  const search = filtersOf(useSearch())
  const [isSaving, setSaving] = useState(false)
  const [renamed, setRenamed] = useState<View>()
  const [failed, setFailed] = useState<unknown>()
  const queryKey = [projectId, 'views']
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(projectId, 'get', '/views', { signal }),
    staleTime: 60_000,
  })
  const views = (data?.items ?? []).filter((one) => one.page === page)
  const reload = () => client.invalidateQueries({ queryKey })
  const remove = async ({ _id: id }: View) => {
    setFailed(undefined)
    try {
      await call(projectId, 'delete', '/views/{id}', { params: { id } })
      toast(say('deleted'))
    } catch (thrown) {
      setFailed(thrown)
    }
    await reload()
  }
  const isNew = search !== '' && !views.some((view) => filtersOf(view.search) === search)
  if (views.length === 0 && !isNew) return null
  return (
    <>
      <nav className={css.views} aria-label={say('views')}>
        {views.map((view) => (
          <span key={view._id} className={css.view}>
            <Link
              href={`${location}?${filtersOf(view.search)}`}
              className={css.open}
              onClick={() => onOpen?.(new URLSearchParams(view.search))}
              aria-current={filtersOf(view.search) === search ? 'true' : undefined}
            >
              {view.name}
            </Link>
            <RowMenu
              label={say('actionsOn', { name: view.name })}
              entries={[
                { id: 'rename', label: say('viewRename'), icon: 'pencil', onAction: () => setRenamed(view) },
                {
                  id: 'remove',
                  label: say('delete'),
                  icon: 'trash',
                  danger: true,
                  onAction: () => void remove(view),
                },
              ]}
            />
          </span>
        ))}
        {isNew && (
          <Button small kind="quiet" icon="plus" onPress={() => setSaving(true)}>
            {say('viewSave')}
          </Button>
        )}
      </nav>
      {failed !== undefined && <ErrorNote error={failed} />}
      {isSaving && (
        <NameDialog
          title={say('viewSave')}
          onClose={() => setSaving(false)}
          onSubmit={async (name) => {
            await call(projectId, 'post', '/views', { body: { page, name, search } })
            await reload()
          }}
        />
      )}
      {renamed && (
        <NameDialog
          title={say('viewRename')}
          name={renamed.name}
          onClose={() => setRenamed(undefined)}
          onSubmit={async (name) => {
            await call(projectId, 'patch', '/views/{id}', { params: { id: renamed._id }, body: { name } })
            await reload()
          }}
        />
      )}
    </>
  )
}
