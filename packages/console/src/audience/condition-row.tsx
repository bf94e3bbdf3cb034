import type { ReactNode } from 'react'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Select, TextField } from '../ui/field.js'
import css from './audience.module.css'
import {
  type Condition,
  type ConditionSubject,
  conditionOn,
  type Operator,
  operatorLabels,
  operatorsByKind,
  operatorValues,
  parseConditionValue,
  subjectOf,
} from './conditions.js'

/** `text` is what was typed, which may not be a value yet. */
export type Row = { readonly key: number; readonly condition: Condition; readonly text: string }

let lastKey = 0
export const newKey = () => {
  lastKey += 1
  return lastKey
}

/** Older segments may have a property beside engagement, which the API takes no more. */
export const rowOf = ({ property, ...condition }: Condition): Row => ({
  key: newKey(),
  condition: { ...condition, ...(property !== undefined && condition.category !== 'engagement' && { property }) },
  text: condition.value === undefined ? '' : String(condition.value),
})

export const ConditionRow = ({
  row,
  isFirst,
  subjects,
  isReadOnly,
  count,
  onChange,
  onRemove,
}: {
  readonly row: Row
  readonly isFirst: boolean
  /** Contacts that fit it alone. */
  readonly count?: ReactNode
  readonly subjects: readonly ConditionSubject[]
  readonly isReadOnly: boolean
  readonly onChange: (row: Row) => void
  readonly onRemove: () => void
}) => {
  const { say } = useText()
  const subject = subjectOf(row.condition, subjects)
  const known = subjects.some(({ id }) => id === subject.id) ? subjects : [...subjects, subject]
  const { operator } = row.condition
  const choices: readonly Operator[] = operatorsByKind[subject.kind]
  const wanted = operatorValues[operator]
  const write = (next: Operator, text: string) => {
    const value = parseConditionValue(next, subject.kind, text)
    onChange({ ...row, text, condition: { ...conditionOn(subject, next), ...(value !== undefined && { value }) } })
  }
  const isWrong = row.text.trim() !== '' && wanted !== 'none' && row.condition.value === undefined
  return (
    <div className={css.condition}>
      <span className={css.word}>{isFirst ? '' : say('and')}</span>
      <Select
        label={say('property')}
        labelHidden
        dense
        isDisabled={isReadOnly}
        value={subject.id}
        onChange={(id) => {
          const next = known.find((one) => one.id === id)
          if (next) onChange({ ...row, text: '', condition: conditionOn(next) })
        }}
        options={known.map(({ id, label }) => ({ value: id, label }))}
      />
      <Select
        label={say('operator')}
        labelHidden
        dense
        isDisabled={isReadOnly}
        value={operator}
        onChange={(next) => write(next, operatorValues[next] === wanted ? row.text : '')}
        options={(choices.includes(operator) ? choices : [...choices, operator]).map((one) => ({
          value: one,
          label: say(operatorLabels[one]),
        }))}
      />
      {wanted === 'none' ? (
        <span />
      ) : (
        <TextField
          label={wanted === 'days' ? say('days') : say('value')}
          labelHidden
          dense
          isDisabled={isReadOnly}
          value={wanted === 'date' ? row.text.slice(0, 10) : row.text}
          type={wanted === 'date' ? 'date' : wanted === 'number' || wanted === 'days' ? 'number' : 'text'}
          placeholder={wanted === 'days' ? say('days') : wanted === 'tag' ? say('tag') : say('value')}
          onChange={(text) => write(operator, text)}
          error={isWrong ? say('numberNeeded') : undefined}
        />
      )}
      {count ?? <span />}
      {isReadOnly ? (
        <span />
      ) : (
        <Button kind="quiet" small icon="close" aria-label={say('removeCondition')} onPress={onRemove} />
      )}
    </div>
  )
}
