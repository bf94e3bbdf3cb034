import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { pagesByOffset } from '../ui/csv.js'
import { FormDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import type { Fields } from '../ui/form-problems.js'
import type { IconName } from '../ui/icons.js'
import type { MenuEntry } from '../ui/menu.js'
import { Empty, ErrorNote, Skeleton, useToast } from '../ui/states.js'
import { type Column, Pager, Table } from '../ui/table.js'
import css from './audience.module.css'

export type PageOf<T> = { readonly items: readonly T[]; readonly count: number }

export const listPageSize = 20

export const NamedList = <T,>({
  title,
  icon,
  emptyTitle,
  emptyText,
  addLabel,
  submitLabel = 'create',
  nameLabel,
  nameField = 'name',
  kind,
  permission = 'contacts.edit',
  load,
  columns,
  keyOf,
  nameOf,
  hrefOf,
  menuOf,
  onAdd,
  form,
  children,
  tools,
  isBare = false,
  exports = true,
}: {
  readonly title: keyof Messages
  readonly icon: IconName
  readonly emptyTitle: keyof Messages
  readonly emptyText: keyof Messages
  readonly addLabel: keyof Messages
  readonly submitLabel?: keyof Messages
  readonly nameLabel: keyof Messages
  /** In the request that adds one. */
  readonly nameField?: string
  /** Key of its queries. */
  readonly kind: string
  readonly permission?: string
  readonly load: (skip: number, signal: AbortSignal) => Promise<PageOf<T>>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
  readonly nameOf: (row: T) => string
  readonly hrefOf?: (row: T) => string
  readonly menuOf?: (row: T) => readonly MenuEntry[]
  readonly onAdd: (name: string) => Promise<void>
  readonly form?: Fields
  readonly children?: ReactNode
  readonly tools?: ReactNode
  /** Without a page around it. */
  readonly isBare?: boolean
  readonly exports?: boolean
}) => {
  const { say, number } = useText()
  const { projectId, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const { get, set } = useUrlState()
  const at = `${kind}Skip`
  const skip = skipOf(get(at))
  const [name, setName] = useState('')
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [projectId, kind, 'page', skip],
    queryFn: ({ signal }) => load(skip, signal),
    placeholderData: keepPreviousData,
  })
  const mayEdit = may(permission)
  const add = mayEdit && (
    <Button kind="primary" icon="plus" onPress={() => set({ add: kind })}>
      {say(addLabel)}
    </Button>
  )
  const content = (
    <>
      {tools}
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.count === 0 ? (
        <Empty icon={icon} title={say(emptyTitle)} action={add}>
          {say(emptyText)}
        </Empty>
      ) : (
        <div>
          <Table
            label={say(title)}
            columns={columns}
            rows={data.items}
            keyOf={keyOf}
            nameOf={nameOf}
            isWaiting={isPlaceholderData}
            exports={exports}
            pages={pagesByOffset(({ skip: from, signal }) => load(from, signal))}
            {...(hrefOf && { hrefOf })}
            {...(mayEdit && menuOf && { menuOf })}
          />
          <Pager
            label={say(title)}
            skip={skip}
            limit={listPageSize}
            count={data.count}
            onSkip={(to) => set({ [at]: to === 0 ? undefined : String(to) })}
          />
        </div>
      )}
      {children}
      <FormDialog
        title={say(addLabel)}
        isOpen={mayEdit && get('add') === kind}
        onClose={() => set({ add: undefined })}
        submit={say(submitLabel)}
        isDisabled={name.trim() === ''}
        onSubmit={async () => {
          await onAdd(name.trim())
          setName('')
          toast(say('saved'))
          await client.invalidateQueries({ queryKey: [projectId] })
        }}
      >
        {(problemAt) => (
          <>
            <TextField
              label={say(nameLabel)}
              value={name}
              onChange={setName}
              error={problemAt(nameField)}
              autoFocus
              dense
            />
            {typeof form === 'function' ? form(problemAt) : form}
          </>
        )}
      </FormDialog>
    </>
  )
  if (isBare)
    return (
      <section className={css.stack}>
        <div className={css.between}>
          <h2>{say(title)}</h2>
          {data && data.count > 0 && add}
        </div>
        {content}
      </section>
    )
  return (
    <PageFrame title={say(title)} under={data && number(data.count)} actions={data && data.count > 0 ? add : undefined}>
      {content}
    </PageFrame>
  )
}
