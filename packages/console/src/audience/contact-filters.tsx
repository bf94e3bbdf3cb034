import { type FormEvent, useMemo, useState } from 'react'
import { useFields } from '../api/records.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Note } from '../ui/states.js'
import css from './audience.module.css'
import { ConditionRow, type Row, rowOf } from './condition-row.js'
import { type Condition, conditionOn, isComplete, operatorValues, subjectsOf } from './conditions.js'

const isCondition = (one: unknown): one is Condition =>
  typeof one === 'object' && one !== null && 'operator' in one && Object.hasOwn(operatorValues, String(one.operator))

/** Undefined for alternatives, which this form cannot show, and for damaged links. */
const conditionsIn = (text: string): readonly Condition[] | undefined => {
  if (text === '') return []
  try {
    const { groups } = JSON.parse(text)
    const conditions: unknown = groups.length === 1 ? groups[0].conditions : undefined
    return Array.isArray(conditions) && conditions.every(isCondition) ? conditions : undefined
  } catch {
    return undefined
  }
}

/** Narrows the contacts by fields, tags, dates and engagement. `value` is what `filter[segment]` takes, or empty. */
export const ContactFilters = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const fields = useFields(projectId)
  const subjects = useMemo(() => subjectsOf(fields.data ?? [], say), [fields.data, say])
  const given = conditionsIn(value)
  const [rows, setRows] = useState<readonly Row[]>(() => (given ?? []).map(rowOf))
  if (given === undefined) return <Note>{say('filteredByConditions')}</Note>
  const change = (next: readonly Row[]) => {
    setRows(next)
    if (next.length === 0) onChange('')
  }
  const isWhole = rows.every(({ condition }) => isComplete(condition))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWhole) onChange(JSON.stringify({ groups: [{ conditions: rows.map(({ condition }) => condition) }] }))
  }
  const firstSubject = subjects[0]
  return (
    <form className={css.filters} onSubmit={submit} noValidate>
      {rows.map((row, at) => (
        <ConditionRow
          key={row.key}
          row={row}
          isFirst={at === 0}
          subjects={subjects}
          isReadOnly={false}
          onChange={(next) => change(rows.map((one) => (one.key === row.key ? next : one)))}
          onRemove={() => change(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <div className={css.row}>
        <Button
          small
          icon="plus"
          isDisabled={!firstSubject || rows.length >= 50}
          onPress={() => firstSubject && change([...rows, rowOf(conditionOn(firstSubject))])}
        >
          {say('filter')}
        </Button>
        {rows.length > 0 && (
          <Button small type="submit" kind="primary" isDisabled={!isWhole}>
            {say('applyFilter')}
          </Button>
        )}
      </div>
    </form>
  )
}
