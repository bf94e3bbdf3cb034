import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ProgressBar } from 'react-aria-components'
import { useParams } from 'wouter'
import { call, urlOf } from '../api/client.js'
import { asApiError } from '../api/errors.js'
import { useFields, useLists } from '../api/records.js'
import type { BodyOf, CustomField, Import } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { type Option, Select, TextField } from '../ui/field.js'
import { Icon } from '../ui/icons.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import { Table } from '../ui/table.js'
import css from './audience.module.css'
import { fieldTypeLabels } from './audience-lists.js'
import {
  dropImportDraft,
  type ImportEncoding,
  type ImportPreview,
  useImportColumns,
  useImportDraft,
} from './import-draft.js'
import { importRefresh, importStateLabels } from './imports-page.js'

type Start = BodyOf<'post', '/imports/{id}/start'>

const encodings = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const satisfies readonly ImportEncoding[]
const fieldTypes = ['string', 'number', 'boolean', 'date'] as const satisfies readonly CustomField['type'][]

const columnOf = (choice: string, { newField }: ImportPreview['columns'][number]): Start['columns'][number] => {
  if (choice.startsWith('=')) return { field: choice.slice(1) }
  const type = fieldTypes.find((one) => choice === `+${one}`)
  return type ? { field: newField, type } : { field: null }
}

/** Stands for the list that is still to be made. */
const newList = '+'

const NewList = ({ onClose, onAdded }: { readonly onClose: () => void; readonly onAdded: (list: string) => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const [name, setName] = useState('')
  return (
    <FormDialog
      title={say('newList')}
      isOpen
      onClose={onClose}
      submit={say('create')}
      isDisabled={name.trim() === ''}
      onSubmit={async () => {
        const { _id } = await call(projectId, 'post', '/subscriber-lists', { body: { name: name.trim() } })
        await client.invalidateQueries({ queryKey: [projectId, 'lists'] })
        onAdded(_id)
      }}
    >
      {(problemAt) => (
        <TextField label={say('name')} value={name} onChange={setName} error={problemAt('name')} autoFocus dense />
      )}
    </FormDialog>
  )
}

const Mapping = ({
  id,
  preview,
  draft: { list, status, consent, encoding },
  onChange,
}: {
  readonly id: string
  readonly preview: ImportPreview
  readonly draft: ReturnType<typeof useImportDraft>[0]
  readonly onChange: ReturnType<typeof useImportDraft>[1]
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const fields = useFields(projectId)
  const lists = useLists(projectId)
  const names = useMemo(
    () => fields.data && ['email', 'name', 'tags', ...fields.data.map(({ name }) => name)],
    [fields.data],
  )
  const [choices, choose] = useImportColumns(projectId, preview.columns, names)
  const [isAddingList, setAddingList] = useState(false)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const known: readonly Option<string>[] = [
    { value: '=email', label: say('email') },
    { value: '=name', label: say('name') },
    { value: '=tags', label: say('tags') },
    ...(fields.data ?? []).map(({ name }) => ({ value: `=${name}`, label: name })),
  ]
  const twice = known.find(({ value }) => choices.filter((one) => one === value).length > 1)
  const problem = !choices.includes('=email')
    ? say('addressColumnNeeded')
    : twice
      ? say('columnTwice', { field: twice.label })
      : preview.damage && !encoding
        ? say('chooseEncoding')
        : undefined
  const start = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await call(projectId, 'post', '/imports/{id}/start', {
        params: { id },
        body: {
          columns: preview.columns.map((column, index) => columnOf(choices[index] ?? '-', column)),
          ...(encoding && { encoding }),
          ...(chosenList !== '' && { subscriberListId: chosenList, status }),
          consent,
        },
      })
      dropImportDraft(id)
      await client.invalidateQueries({ queryKey: [projectId] })
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  // A list that was deleted since is none.
  const chosenList = lists.data && !lists.data.some(({ _id }) => _id === list) ? '' : list
  return (
    <div className={css.columns}>
      <section className={css.card}>
        <h2>{say('columnsOfFile')}</h2>
        {preview.damage && (
          <Note kind="warn">
            {say('fileDamaged', { count: preview.damage.places, line: preview.damage.firstLine })}
          </Note>
        )}
        <ul className={css.mapping}>
          {preview.columns.map((column, index) => {
            const { heading, newField, type } = column
            const ordered = [type, ...fieldTypes.filter((one) => one !== type)]
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
              <li key={index}>
                <div>
                  <b>{heading === '' ? '–' : heading}</b>
                  <small>
                    {preview.rows
                      .map((cells) => cells[index] ?? '')
                      .filter((cell) => cell !== '')
                      .slice(0, 3)
                      .join(' · ')}
                  </small>
                </div>
                <Select
                  label={say('fieldOfColumn', { name: heading })}
                  labelHidden
                  dense
                  value={choices[index]}
                  onChange={(choice) => choose(index, choice)}
                  options={[
                    { value: '-', label: say('ignoreColumn') },
                    ...known,
                    ...(newField === '' || known.some(({ value }) => value === `=${newField}`)
                      ? []
                      : ordered.map((one) => ({
                          value: `+${one}`,
                          label: say('newFieldOption', { name: newField, type: say(fieldTypeLabels[one]) }),
                        }))),
                  ]}
                />
              </li>
            )
          })}
        </ul>
      </section>
      <section className={css.card}>
        <Select
          label={say('encoding')}
          dense
          value={encoding ?? encodings.find((one) => one === preview.encoding)}
          onChange={(value) => onChange({ encoding: value })}
          options={encodings.map((value) => ({ value, label: value.toUpperCase() }))}
        />
        <Select
          label={say('list')}
          dense
          value={chosenList}
          onChange={(value) => (value === newList ? setAddingList(true) : onChange({ list: value }))}
          options={[
            { value: '', label: say('noList') },
            ...(lists.data ?? []).map((one) => ({ value: one._id, label: one.name })),
            { value: newList, label: `${say('newList')}…` },
          ]}
        />
        {isAddingList && (
          <NewList onClose={() => setAddingList(false)} onAdded={(added) => onChange({ list: added })} />
        )}
        {chosenList !== '' && (
          <Select
            label={say('newSubscribersAre')}
            dense
            value={status}
            onChange={(value) => onChange({ status: value })}
            options={[
              { value: 'active', label: say('statusActive') },
              { value: 'unverified', label: say('statusUnverified') },
            ]}
          />
        )}
        <TextField
          label={say('consent')}
          value={consent}
          onChange={(value) => onChange({ consent: value })}
          rows={3}
          maxLength={1000}
          note={say('consentExample')}
        />
        {problem && <Note>{problem}</Note>}
        {error !== undefined && <ErrorNote error={error} />}
        <div className={css.row}>
          <Button
            kind="primary"
            isDisabled={problem !== undefined || consent.trim() === '' || isBusy}
            onPress={() => void start()}
          >
            {isBusy ? say('working') : say('startImport')}
          </Button>
        </div>
      </section>
    </div>
  )
}

const MappingPage = ({ id }: { readonly id: string }) => {
  const { projectId } = useProject()
  const [draft, change] = useImportDraft(id)
  const { encoding } = draft
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'import-preview', id, encoding ?? ''],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/imports/{id}/preview', { params: { id }, query: { encoding }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  return (
    <Mapping
      key={data.columns.map(({ heading }) => heading).join('\n')}
      id={id}
      preview={data}
      draft={draft}
      onChange={change}
    />
  )
}

const FailedRows = ({ id, count }: { readonly id: string; readonly count: number }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'failed-rows', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/imports/{id}/failed-rows', { params: { id }, signal }),
  })
  return (
    <section className={css.card} aria-label={say('importFailedRows')}>
      <h2>{say('importFailedRows')}</h2>
      <p className={css.quiet}>{say('mendFailedRows')}</p>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={3} />
      ) : (
        <>
          <Table
            label={say('importFailedRows')}
            columns={[
              { id: 'line', label: say('lineOfFile'), cell: () => null },
              { id: 'reason', label: say('failedRowReason'), cell: ({ reason }) => reason },
              {
                id: 'cells',
                label: say('cellsOfRow'),
                cell: ({ cells }) => cells.filter((cell) => cell !== '').join(' · ') || '–',
              },
            ]}
            rows={data.items}
            keyOf={({ line }) => String(line)}
            nameOf={({ line }) => String(line)}
            exports={false}
          />
          {count > data.items.length && (
            <p className={css.quiet}>{say('firstFailedRows', { shown: data.items.length, count })}</p>
          )}
        </>
      )}
    </section>
  )
}

const Result = ({ one }: { readonly one: Import }) => {
  const { say, number, percent, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const { _id, state, progress, counts, consent, errorMessage, subscriberListId, finishedAt } = one
  const lists = useLists(projectId)
  const list = lists.data?.find((each) => each._id === subscriberListId)
  const hasFailedRows = counts.failed > 0 && state !== 'running' && may('contacts.edit')
  return (
    <div className={css.columns}>
      <div className={css.stack}>
        <section className={css.card} aria-live="polite">
          <h2>{say(importStateLabels[state])}</h2>
          {state === 'running' && (
            <>
              <ProgressBar value={progress * 100} aria-label={say('imports')} className={css.progress}>
                <span style={{ width: `${progress * 100}%` }} />
              </ProgressBar>
              <p>{say('importProgress', { share: percent(progress, 0) })}</p>
              <p className={css.quiet}>{say('importGoesOn')}</p>
            </>
          )}
          {errorMessage && <Note kind="bad">{errorMessage}</Note>}
          <dl className={css.counts}>
            {(
              [
                ['importCreated', counts.created],
                ['importUpdated', counts.updated],
                ['importUnchanged', counts.unchanged],
                ['importFailedRows', counts.failed],
              ] as const
            ).map(([label, n]) => (
              <div key={label}>
                <dt>{say(label)}</dt>
                <dd>{number(n)}</dd>
              </div>
            ))}
          </dl>
          <div className={css.row}>
            {counts.failed > 0 && may('contacts.edit') && (
              <a
                className={css.download}
                href={urlOf(projectId, '/imports/{id}/errors', { params: { id: _id } })}
                download
              >
                <Icon name="download" size={14} /> {say('downloadFailed')}
              </a>
            )}
            {state !== 'running' && (
              <ButtonLink icon="people" href={`${href('/audience/contacts')}${list ? `?list=${list._id}` : ''}`}>
                {say('showContacts')}
              </ButtonLink>
            )}
          </div>
        </section>
        {hasFailedRows && <FailedRows id={_id} count={counts.failed} />}
      </div>
      <section className={css.card}>
        <dl className={css.facts}>
          <dt>{say('importedBy')}</dt>
          <dd>{one.uploadedBy ?? '–'}</dd>
          <dt>{say('time')}</dt>
          <dd>{dateTime(finishedAt ?? one.createdAt)}</dd>
          <dt>{say('list')}</dt>
          <dd>{list?.name ?? '–'}</dd>
          <dt>{say('consent')}</dt>
          <dd>{consent ?? '–'}</dd>
        </dl>
      </section>
    </div>
  )
}

/** One import: the mapping of its columns, then its progress, then its result, at the same address. */
export const ImportPage = () => {
  const { say } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const { id } = useParams<{ id: string }>()
  const [isCancelling, setCancelling] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'import', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/imports/{id}', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? importRefresh : false),
  })
  const isOpen = data?.state === 'uploaded' || data?.state === 'running'
  return (
    <PageFrame
      title={data?.fileName ?? say('imports')}
      crumb={{ label: say('imports'), href: href('/audience/imports') }}
      actions={
        isOpen &&
        may('contacts.edit') && (
          <Button danger icon="stop" onPress={() => setCancelling(true)}>
            {say('cancelImport')}
          </Button>
        )
      }
    >
      {asApiError(error).kind === 'gone' ? (
        <Note kind="warn">{say('errorGone')}</Note>
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.state === 'uploaded' && may('contacts.edit') ? (
        <MappingPage id={id} />
      ) : (
        <Result one={data} />
      )}
      <FormDialog
        title={say('cancelImportTitle')}
        isOpen={isCancelling && isOpen}
        onClose={() => setCancelling(false)}
        submit={say('cancelImport')}
        danger
        onSubmit={async () => {
          await call(projectId, 'post', '/imports/{id}/cancel', { params: { id } })
          dropImportDraft(id)
          await client.invalidateQueries({ queryKey: [projectId] })
        }}
      >
        <p>{say('cancelImportEffect')}</p>
      </FormDialog>
    </PageFrame>
  )
}
