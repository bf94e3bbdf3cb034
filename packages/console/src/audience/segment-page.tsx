import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { call } from '../api/client.js'
import { useFields } from '../api/records.js'
import type { Segment } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUnsavedGuard } from '../shell/unsaved-guard.js'
import { isolated } from '../text/filled.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink } from '../ui/button.js'
import { DestroyDialog } from '../ui/dialog.js'
import { TextField } from '../ui/field.js'
import { Long } from '../ui/long.js'
import { useSettled } from '../ui/settled.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import css from './audience.module.css'
import { ConditionRow, newKey, type Row, rowOf } from './condition-row.js'
import { type Condition, conditionOn, isComplete, subjectsOf } from './conditions.js'
import { contactHref } from './contact-href.js'

type Group = { readonly key: number; readonly rows: readonly Row[] }

const groupsOf = (segment: Segment): readonly Group[] =>
  segment.groups.map(({ conditions }) => ({ key: newKey(), rows: conditions.map(rowOf) }))

type StoredGroup = { readonly conditions: Condition[] }

const stored = (groups: readonly Group[]): StoredGroup[] =>
  groups.map(({ rows }) => ({ conditions: rows.map(({ condition }) => condition) }))

/** In ms after the last change. */
const countDelay = 400

/** Count and first three contacts; of all contacts without groups. */
const useCount = (groups: readonly StoredGroup[] | undefined, enabled: boolean) => {
  const { projectId } = useProject()
  const segment = groups && JSON.stringify({ groups })
  return useQuery({
    queryKey: [projectId, 'segment-count', segment],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/contacts', { query: { limit: 3 }, ...(segment && { filter: { segment } }), signal }),
    enabled,
    placeholderData: keepPreviousData,
    retry: false,
  })
}

/** Counts once the conditions have been complete for a moment. */
const Counted = ({
  conditions,
  show,
}: {
  readonly conditions: readonly Condition[]
  readonly show: (count: number) => string
}) => {
  const { may } = useProject()
  const settled = useSettled(JSON.stringify(conditions), countDelay)
  const isWhole = conditions.length > 0 && conditions.every(isComplete)
  const { data } = useCount([{ conditions: JSON.parse(settled) }], isWhole && may('addresses.read'))
  return <span className={css.counted}>{isWhole && data ? show(data.count) : ''}</span>
}

const Builder = ({ segment }: { readonly segment: Segment }) => {
  const { say, number, percent } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const fields = useFields(projectId)
  const subjects = useMemo(() => subjectsOf(fields.data ?? [], say), [fields.data, say])
  const [name, setName] = useState(segment.name)
  const [groups, setGroups] = useState(() => groupsOf(segment))
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [isRemoving, setRemoving] = useState(false)
  const saved = useRef(JSON.stringify({ name: segment.name, groups: stored(groupsOf(segment)) }))
  const isReadOnly = !may('contacts.edit')
  const isWhole = groups.every(({ rows }) => rows.every(({ condition }) => isComplete(condition)))
  const settled = useSettled(JSON.stringify(stored(groups)), countDelay)
  const mayRead = may('addresses.read')
  const total = useCount(JSON.parse(settled), isWhole && mayRead && groups.length > 0)
  const all = useCount(undefined, mayRead)
  const isChanged = JSON.stringify({ name, groups: stored(groups) }) !== saved.current

  const endGuard = useUnsavedGuard(isChanged && !isReadOnly)

  const changeGroup = (key: number, rows: readonly Row[]) =>
    setGroups((all) => all.map((one) => (one.key === key ? { ...one, rows } : one)))
  const firstSubject = subjects[0]
  const newRow = () => rowOf(conditionOn(firstSubject ?? { id: 'name', label: '', kind: 'string' }))
  const store = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await call(projectId, 'patch', '/segments/{id}', {
        params: { id: segment._id },
        body: { name: name.trim(), groups: stored(groups) },
      })
      saved.current = JSON.stringify({ name, groups: stored(groups) })
      toast(say('saved'))
      await client.invalidateQueries({ queryKey: [projectId] })
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <PageFrame
      title={name === '' ? segment.name : name}
      crumb={{ label: say('segments'), href: href('/audience/segments') }}
      under={isChanged ? say('notSaved') : undefined}
      actions={
        <>
          <ButtonLink icon="people" href={`${href('/audience/contacts')}?segment=${segment._id}`}>
            {say('showContacts')}
          </ButtonLink>
          {may('content.edit') && !isChanged && (
            <ButtonLink icon="send" href={`${href('/campaigns')}?new=1&segment=${segment._id}`}>
              {say('newCampaignToThem')}
            </ButtonLink>
          )}
          {!isReadOnly && (
            <>
              <Button danger icon="trash" onPress={() => setRemoving(true)}>
                {say('deleteMore')}
              </Button>
              <Button
                kind="primary"
                icon="check"
                isDisabled={isBusy || !isChanged || !isWhole || name.trim() === ''}
                onPress={() => void store()}
              >
                {isBusy ? say('working') : say('save')}
              </Button>
            </>
          )}
        </>
      }
    >
      {error !== undefined && <ErrorNote error={error} />}
      {segment.warnings?.map((warning) => (
        <Note key={warning} kind="warn">
          {warning}
        </Note>
      ))}
      <div className={css.columns}>
        <div className={css.stack}>
          <TextField
            label={say('name')}
            value={name}
            onChange={setName}
            maxLength={200}
            isDisabled={isReadOnly}
            dense
          />
          <p>{say('segmentText')}</p>
          {groups.map((group, at) => (
            <div key={group.key} className={css.stack}>
              {at > 0 && <div className={css.or}>{say('or')}</div>}
              <section className={css.group} aria-label={say('groupNumber', { number: at + 1 })}>
                <div className={css.groupHead}>
                  <h2>{say('groupNumber', { number: at + 1 })}</h2>
                  {groups.length > 1 && (
                    <Counted
                      conditions={group.rows.map(({ condition }) => condition)}
                      show={(count) => say('contactCount', { count })}
                    />
                  )}
                  {!isReadOnly && (
                    <>
                      <Button
                        kind="quiet"
                        small
                        icon="copy"
                        aria-label={say('copyGroup', { number: at + 1 })}
                        onPress={() =>
                          setGroups([
                            ...groups,
                            { key: newKey(), rows: group.rows.map((row) => ({ ...row, key: newKey() })) },
                          ])
                        }
                      />
                      <Button
                        kind="quiet"
                        small
                        icon="trash"
                        aria-label={say('removeGroup', { number: at + 1 })}
                        onPress={() => setGroups(groups.filter(({ key }) => key !== group.key))}
                      />
                    </>
                  )}
                </div>
                <div className={css.conditions}>
                  {group.rows.length === 0 && <p>{say('everybody')}</p>}
                  {group.rows.map((row, index) => (
                    <ConditionRow
                      key={row.key}
                      row={row}
                      isFirst={index === 0}
                      subjects={subjects}
                      isReadOnly={isReadOnly}
                      count={group.rows.length > 1 ? <Counted conditions={[row.condition]} show={number} /> : undefined}
                      onChange={(next) =>
                        changeGroup(
                          group.key,
                          group.rows.map((one) => (one.key === row.key ? next : one)),
                        )
                      }
                      onRemove={() =>
                        changeGroup(
                          group.key,
                          group.rows.filter((one) => one.key !== row.key),
                        )
                      }
                    />
                  ))}
                  {!isReadOnly && (
                    <div className={css.row}>
                      <Button
                        small
                        icon="plus"
                        isDisabled={group.rows.length >= 50}
                        onPress={() => changeGroup(group.key, [...group.rows, newRow()])}
                      >
                        {say('condition')}
                      </Button>
                    </div>
                  )}
                </div>
              </section>
            </div>
          ))}
          {groups.length === 0 && <Note>{say('nobodyInSegment')}</Note>}
          {!isReadOnly && (
            <div className={css.row}>
              <Button
                icon="plus"
                isDisabled={groups.length >= 50}
                onPress={() => setGroups([...groups, { key: newKey(), rows: [newRow()] }])}
              >
                {say('group')}
              </Button>
            </div>
          )}
          <p className={css.word}>
            {groups.some(({ rows }) => rows.length > 1) && say('conditionNumbers')} {say('segmentRules')}
          </p>
        </div>
        <section className={css.card} aria-live="polite">
          <h2>{say('contacts')}</h2>
          {!mayRead ? (
            <p>{say('errorForbidden')}</p>
          ) : groups.length === 0 ? (
            <p className={css.total}>{number(0)}</p>
          ) : !isWhole ? (
            <p>{say('conditionIncomplete')}</p>
          ) : total.error ? (
            <ErrorNote error={total.error} onRetry={() => void total.refetch()} />
          ) : total.data ? (
            <>
              <p className={css.total}>{number(total.data.count)}</p>
              {all.data && all.data.count > 0 && (
                <p>
                  {say('ofAllContacts', {
                    count: all.data.count,
                    share: percent(total.data.count / all.data.count),
                  })}
                </p>
              )}
              <h2>{say('someOfThem')}</h2>
              {total.data.items.map(({ _id, email, name: called }) => (
                <Link key={_id} href={contactHref(href, email)}>
                  <Long>{called === '' ? email : `${isolated(called)} · ${email}`}</Long>
                </Link>
              ))}
            </>
          ) : (
            <p>{say('loading')}…</p>
          )}
        </section>
      </div>
      <DestroyDialog
        isOpen={isRemoving}
        title={say('deleteSegmentTitle', { name: segment.name })}
        effect={say('deleteSegmentEffect')}
        name={segment.name}
        submit={say('delete')}
        onClose={() => setRemoving(false)}
        onSubmit={async () => {
          await call(projectId, 'delete', '/segments/{id}', { params: { id: segment._id } })
          toast(say('deleted'))
          endGuard()
          await client.invalidateQueries({ queryKey: [projectId, 'segments'] })
          navigate(href('/audience/segments'))
        }}
      />
    </PageFrame>
  )
}

/** Groups joined by "or", conditions by "and", with a count that follows. */
export const SegmentPage = () => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const { id } = useParams<{ id: string }>()
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'segment', id],
    queryFn: ({ signal }) => call(projectId, 'get', '/segments/{id}', { params: { id }, signal }),
    refetchOnWindowFocus: false,
  })
  if (data) return <Builder key={data._id} segment={data} />
  return (
    <PageFrame title={say('segment')} crumb={{ label: say('segments'), href: href('/audience/segments') }}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton />}
    </PageFrame>
  )
}
