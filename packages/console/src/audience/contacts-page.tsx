import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, urlOf } from '../api/client.js'
import { maxPageSize, useLists, useSegments } from '../api/records.js'
import type { Contact } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { skipOf, useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink, DownloadLink } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { SearchField, Select, TextField } from '../ui/field.js'
import { SavedViews } from '../ui/saved-views.js'
import { useSettled } from '../ui/settled.js'
import { Empty, ErrorNote, Note, Skeleton, Tag, useToast } from '../ui/states.js'
import { BulkBar, type Column, Pager, Second, Table } from '../ui/table.js'
import css from './audience.module.css'
import { type Bulk, BulkDialog, type Chosen, tagsIn } from './contact-bulk.js'
import { ContactFilters } from './contact-filters.js'
import { contactHref } from './contact-href.js'

const pageSize = maxPageSize

/** In ms after the last key. */
const findDelay = 250

/** No address contains a space. */
const mayBeginAddress = (text: string): boolean => !text.includes(' ')

const namedWith = (value: string): string =>
  JSON.stringify({
    groups: [{ conditions: [{ category: 'contact-property', property: 'name', operator: 'contains', value }] }],
  })

const NewContact = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const lists = useLists(projectId)
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [tags, setTags] = useState('')
  const [list, setList] = useState('')
  return (
    <FormDialog
      title={say('newContact')}
      isOpen={isOpen}
      onClose={onClose}
      submit={say('create')}
      isDisabled={!email.includes('@')}
      onSubmit={async () => {
        const body = { email: email.trim(), ...(name.trim() !== '' && { name: name.trim() }), tags: [...tagsIn(tags)] }
        if (list === '') await call(projectId, 'post', '/contacts', { body })
        else await call(projectId, 'post', '/subscriber-lists/{id}/subscribers', { params: { id: list }, body })
        toast(say('contactAdded', { email: email.trim() }))
        setEmail('')
        setName('')
        await client.invalidateQueries({ queryKey: [projectId] })
      }}
    >
      <TextField label={say('email')} type="email" value={email} onChange={setEmail} autoFocus dense />
      <TextField label={say('name')} value={name} onChange={setName} maxLength={300} dense />
      <TextField label={say('tags')} value={tags} onChange={setTags} note={say('tagsNote')} />
      <Select
        label={say('list')}
        value={list}
        onChange={setList}
        options={[
          { value: '', label: say('noList') },
          ...(lists.data ?? []).map((one) => ({ value: one._id, label: one.name })),
        ]}
        note={say('consentNote')}
      />
    </FormDialog>
  )
}

const statuses = ['active', 'paused', 'unverified', 'unsubscribed'] as const
const statusLabels = {
  active: 'statusActive',
  paused: 'statusPaused',
  unverified: 'statusUnverified',
  unsubscribed: 'statusUnsubscribed',
} as const

/** Contacts, filtered and paged by the server; the filter is in the address. */
export const ContactsPage = () => {
  const { say, date, number } = useText()
  const { projectId, href, may } = useProject()
  const { get, set } = useUrlState()
  const lists = useLists(projectId)
  const segments = useSegments(projectId)
  const [typed, setTyped] = useState(get('find'))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isAllChosen, setAllChosen] = useState(false)
  const [bulk, setBulk] = useState<Bulk>()
  const [filters, setFilters] = useState(0)
  const find = get('find')
  const list = get('list')
  const segment = get('segment')
  const tag = get('tag')
  const conditions = get('conditions')
  const status = statuses.find((one) => one === get('status'))
  const skip = skipOf(get('skip'))
  const sort = get('sort')
  const order = get('order') === 'desc' ? ('desc' as const) : ('asc' as const)
  const filter = {
    ...(!mayBeginAddress(find) && { name: find }),
    ...(list !== '' && { subscriberListId: list }),
    ...(list !== '' && status && { subscriberStatus: status }),
    ...(segment !== '' && { segmentId: segment }),
    ...(tag !== '' && { tags: tag }),
    ...(conditions !== '' && { segment: conditions }),
  }
  const search = find === '' || !mayBeginAddress(find) ? {} : { find }
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'contacts', filter, search, skip, sort, order],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/contacts', {
        query: { limit: pageSize, skip, ...search, ...(sort !== '' && { sort, order }) },
        filter,
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  const isFiltered = find !== '' || Object.keys(filter).length > 0
  const change = (changes: Readonly<Record<string, string | undefined>>) => {
    setAllChosen(false)
    setChosen(new Set())
    set({ ...changes, skip: undefined })
  }
  const settled = useSettled(typed.trim(), findDelay)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed searches, not another change of the address
  useEffect(() => {
    if (mayBeginAddress(settled) && settled !== find) change({ find: settled })
  }, [settled])
  const text = typed.trim()
  const findNames = () => {
    setTyped('')
    setFilters(filters + 1)
    change({ find: undefined, conditions: namedWith(text) })
  }
  const columns: readonly Column<Contact>[] = [
    {
      id: 'name',
      label: say('contact'),
      sort: 'email',
      cell: ({ email, name }) => (name === '' ? null : <Second>{email}</Second>),
    },
    { id: 'lists', label: say('lists'), cell: ({ _lists }) => (_lists.length > 0 ? _lists.join(', ') : '–') },
    {
      id: 'tags',
      label: say('tags'),
      cell: ({ tags }) =>
        tags.length > 0 ? (
          <span className={css.tags}>
            {tags.slice(0, 4).map((one) => (
              <Tag key={one}>{one}</Tag>
            ))}
            {tags.length > 4 && <span>+{number(tags.length - 4)}</span>}
          </span>
        ) : (
          '–'
        ),
    },
    {
      id: 'received',
      label: say('received'),
      sort: 'lastReceiveDate',
      isShort: true,
      cell: ({ lastReceiveDate: at }) => (at ? date(at) : '–'),
    },
    {
      id: 'opened',
      label: say('opened'),
      sort: 'lastOpenDate',
      isShort: true,
      cell: ({ lastOpenDate: at }) => (at ? date(at) : '–'),
    },
    {
      id: 'clicked',
      label: say('clicked'),
      sort: 'lastClickDate',
      isShort: true,
      cell: ({ lastClickDate: at }) => (at ? date(at) : '–'),
    },
    { id: 'added', label: say('added'), sort: 'createdAt', isShort: true, cell: ({ createdAt }) => date(createdAt) },
  ]
  const rows = data?.items ?? []
  const mayEdit = may('contacts.edit')
  const chosenEmails = rows.filter(({ _id }) => chosen.has(_id)).map(({ email }) => email)
  const choose = (next: ReadonlySet<string>) => {
    setAllChosen(false)
    setChosen(next)
  }
  const acted: Chosen =
    isAllChosen && data
      ? { count: data.count, of: { ...search, filter } }
      : { count: chosenEmails.length, of: { emails: chosenEmails } }
  const startOver = () => {
    setTyped('')
    setFilters(filters + 1)
    change({
      find: undefined,
      list: undefined,
      status: undefined,
      segment: undefined,
      tag: undefined,
      conditions: undefined,
    })
  }
  if (!may('addresses.read'))
    return (
      <PageFrame title={say('contacts')}>
        <Note>{say('errorForbidden')}</Note>
      </PageFrame>
    )
  return (
    <PageFrame
      title={say('contacts')}
      under={data && number(data.count)}
      actions={
        <>
          {may('addresses.export') && (
            <DownloadLink href={urlOf(projectId, '/contacts/export', { query: { format: 'csv', ...search }, filter })}>
              {say('exportContacts')}
            </DownloadLink>
          )}
          {mayEdit && (
            <>
              <ButtonLink icon="up" href={href('/audience/imports')}>
                {say('import')}
              </ButtonLink>
              <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
                {say('newContact')}
              </Button>
            </>
          )}
        </>
      }
    >
      <SavedViews
        page="contacts"
        onOpen={(view) => {
          setTyped(view.get('find') ?? '')
          setFilters(filters + 1)
        }}
      />
      <div className={css.tools}>
        <SearchField
          label={say('findContacts')}
          clearLabel={say('clear')}
          value={typed}
          onChange={setTyped}
          onSubmit={() => (mayBeginAddress(text) ? change({ find: text }) : findNames())}
        />
        <Select
          label={say('list')}
          labelHidden
          dense
          value={list}
          onChange={(value) => change({ list: value, ...(value === '' && { status: undefined }) })}
          options={[
            { value: '', label: say('anyList') },
            ...(lists.data ?? []).map((one) => ({ value: one._id, label: one.name })),
          ]}
        />
        {list !== '' && (
          <Select
            label={say('status')}
            labelHidden
            dense
            value={status ?? ''}
            onChange={(value) => change({ status: value })}
            options={[
              { value: '' as const, label: say('anyStatus') },
              ...statuses.map((value) => ({ value, label: say(statusLabels[value]) })),
            ]}
          />
        )}
        <Select
          label={say('segment')}
          labelHidden
          dense
          value={segment}
          onChange={(value) => change({ segment: value })}
          options={[
            { value: '', label: say('anySegment') },
            ...(segments.data ?? []).map((one) => ({ value: one._id, label: one.name })),
          ]}
        />
        {isFiltered && (
          <Button kind="quiet" icon="close" onPress={startOver}>
            {say('showAll')}
          </Button>
        )}
      </div>
      {text !== '' && (
        <div>
          <Button kind="linklike" icon="search" onPress={findNames}>
            {say('findNames', { text })}
          </Button>
        </div>
      )}
      <ContactFilters
        key={filters}
        value={conditions}
        onChange={(value) => change({ conditions: value === '' ? undefined : value })}
      />
      {tag !== '' && <Note>{say('filteredByTag', { tag })}</Note>}
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={10} />
      ) : data.count === 0 && !isFiltered ? (
        <Empty
          icon="people"
          title={say('noContacts')}
          action={
            mayEdit && (
              <Button kind="primary" icon="plus" onPress={() => set({ new: '1' })}>
                {say('newContact')}
              </Button>
            )
          }
        >
          {say('noContactsText')}
        </Empty>
      ) : rows.length === 0 ? (
        <Empty
          icon="search"
          title={say('nothingMatches')}
          action={<Button onPress={startOver}>{say('showAll')}</Button>}
        >
          {say('nothingMatchesText')}
        </Empty>
      ) : (
        <div>
          <Table
            label={say('contacts')}
            columns={columns}
            rows={rows}
            keyOf={({ _id }) => _id}
            nameOf={({ name, email }) => (name === '' ? email : name)}
            hrefOf={({ email }) => contactHref(href, email)}
            isWaiting={isPlaceholderData}
            exports={false}
            sort={sort === '' ? undefined : { by: sort, order }}
            onSort={(next) => set({ sort: next.by, order: next.order, skip: undefined })}
            {...(mayEdit && { chosen, onChoose: choose })}
            above={
              chosenEmails.length > 0 && (
                <BulkBar
                  count={acted.count}
                  isAll={isAllChosen}
                  matching={data.count}
                  onChooseAll={() => {
                    setChosen(new Set(rows.map(({ _id }) => _id)))
                    setAllChosen(true)
                  }}
                  onClear={() => choose(new Set())}
                >
                  <Button small icon="list" onPress={() => setBulk('add-to-list')}>
                    {say('addToList')}
                  </Button>
                  <Button small icon="tag" onPress={() => setBulk('add-tags')}>
                    {say('addTags')}
                  </Button>
                  {may('suppressions.edit') && (
                    <Button small danger icon="barred" onPress={() => setBulk('suppress')}>
                      {say('suppressMore')}
                    </Button>
                  )}
                  <Button small danger icon="trash" onPress={() => setBulk('delete')}>
                    {say('deleteMore')}
                  </Button>
                </BulkBar>
              )
            }
          />
          <Pager
            label={say('contacts')}
            skip={skip}
            limit={pageSize}
            count={data.count}
            onSkip={(to) => {
              choose(new Set())
              set({ skip: to === 0 ? undefined : String(to) })
            }}
          />
        </div>
      )}
      {mayEdit && <NewContact isOpen={get('new') === '1'} onClose={() => set({ new: undefined })} />}
      {bulk && <BulkDialog kind={bulk} chosen={acted} onClose={() => setBulk(undefined)} />}
    </PageFrame>
  )
}
