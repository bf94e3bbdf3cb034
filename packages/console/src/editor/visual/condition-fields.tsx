import { useState } from 'react'
import { useFields } from '../../api/records.js'
import { useProject } from '../../shell/session.js'
import { useText } from '../../text/text.js'
import { Select, TextField } from '../../ui/field.js'
import {
  type Comparison,
  type Condition,
  comparisons,
  conditionOf,
  expressionOf,
  type ValueKind,
} from './conditions.js'
import { comparisonKeys } from './names.js'

const another = 'another condition'

const hasValue = (comparison: Comparison): boolean => comparison !== 'filled' && comparison !== 'empty'

/** By a field, a comparison and a value; any other expression of the template language as it is written. */
export const ConditionFields = ({
  expression,
  names,
  onChange,
}: {
  readonly expression: string
  readonly names: readonly string[]
  readonly onChange: (expression: string) => void
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const fields = useFields(projectId)
  const [draft, setDraft] = useState<string>()
  const condition = conditionOf(expression)
  const [isWriting, setWriting] = useState(condition === undefined)
  const write = (text: string) => {
    const isValid = text.trim() !== '' && !/[{}]/.test(text)
    setDraft(isValid ? undefined : text)
    if (isValid) onChange(text)
  }
  const kindOf = (field: string): ValueKind => {
    const type = fields.data?.find(({ name }) => `contact.${name}` === field)?.type
    return type === 'number' || type === 'boolean' ? type : 'text'
  }
  const set = (change: Partial<Condition>) => {
    const next = { field: '', comparison: 'filled', value: '', ...condition, ...change } as const
    const kind = hasValue(next.comparison) ? kindOf(next.field) : 'text'
    const value = kind === 'boolean' && !/^(?:true|false)$/.test(next.value) ? 'true' : next.value
    onChange(expressionOf({ ...next, kind, value }))
  }
  const comparison = condition?.comparison ?? 'filled'
  const isBoolean = condition !== undefined && kindOf(condition.field) === 'boolean'
  const offered = comparisons.filter((one) =>
    condition?.field === 'contact.tags'
      ? one !== 'equals' && one !== 'differs'
      : !isBoolean || !/contains|lacks/.test(one),
  )
  const known = [...new Set(['contact.tags', ...names, ...(condition ? [condition.field] : [])])]
  return (
    <>
      <Select
        dense
        label={say('field')}
        value={isWriting || !condition ? another : condition.field}
        onChange={(field) => {
          setWriting(field === another)
          if (field !== another) set({ field, ...(field === 'contact.tags' && { comparison: 'filled' }) })
        }}
        options={[
          ...known.map((name) => ({ value: name, label: name })),
          { value: another, label: say('visualOtherCondition') },
        ]}
      />
      {isWriting || !condition ? (
        <TextField
          label={say('visualExpression')}
          note={say('visualExpressionNote')}
          value={draft ?? expression}
          error={draft === undefined ? undefined : say('visualExpressionWrong')}
          onChange={write}
        />
      ) : (
        <>
          <Select
            dense
            label={say('operator')}
            value={comparison}
            onChange={(next) => set({ comparison: next })}
            options={offered.map((one) => ({ value: one, label: say(comparisonKeys[one]) }))}
          />
          {hasValue(comparison) &&
            (isBoolean ? (
              <Select
                dense
                label={say('value')}
                value={condition.value}
                onChange={(value) => set({ value })}
                options={[
                  { value: 'true', label: say('yes') },
                  { value: 'false', label: say('no') },
                ]}
              />
            ) : (
              <TextField
                label={say('value')}
                note={say('visualCase')}
                value={condition.value}
                onChange={(value) => set({ value })}
              />
            ))}
        </>
      )}
    </>
  )
}
