import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/client.js'
import { useLists } from '../api/records.js'
import type { BodyOf } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { useToast } from '../ui/states.js'

type ContactAct = BodyOf<'post', '/contacts/act'>

export type Bulk = 'add-to-list' | 'add-tags' | 'suppress' | 'delete'

/** The contacts to act on: named, or all of a filter. */
export type Chosen = { readonly count: number; readonly of: Omit<ContactAct, 'act' | 'after'> }

export const tagsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
]

const titles = {
  'add-to-list': 'addToListTitle',
  'add-tags': 'tagTitle',
  suppress: 'suppressTitle',
  delete: 'deleteContactsTitle',
} as const
const submits = {
  'add-to-list': 'addToListDo',
  'add-tags': 'tagDo',
  suppress: 'suppressDo',
  delete: 'deleteContactsDo',
} as const

/** Refusals that are shown; the rest is counted. */
const mostNamed = 20

/** Changes the chosen contacts in batches, shows its progress, and names the refused contacts. Closing the dialog stops it after a batch. */
export const BulkDialog = ({
  kind,
  chosen: { count, of },
  onClose,
}: {
  readonly kind: Bulk
  readonly chosen: Chosen
  readonly onClose: () => void
}) => {
  const { say, number } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const lists = useLists(projectId)
  const [text, setText] = useState('')
  const [list, setList] = useState('')
  const [done, setDone] = useState<number>()
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])

  const act = (): ContactAct['act'] => {
    if (kind === 'add-to-list') return { kind, subscriberListId: list }
    if (kind === 'add-tags') return { kind, tags: [...tagsIn(text)] }
    return kind === 'suppress' ? { kind, reason: text } : { kind }
  }

  const run = async () => {
    const failures: string[] = []
    let finished = 0
    for (let after: string | null | undefined; after !== null && isOpen.current; ) {
      const body = { ...of, act: act(), ...(after !== undefined && { after }) }
      const batch = await call(projectId, 'post', '/contacts/act', { body })
      finished += batch.done
      failures.push(...batch.failures.map(({ email, reason }) => `${email}: ${reason}`))
      after = batch.next
      setDone(finished)
    }
    await client.invalidateQueries({ queryKey: [projectId] })
    const result = say('bulkDone', { count: finished })
    if (failures.length === 0) return toast(result)
    const more = failures.length > mostNamed ? ` +${number(failures.length - mostNamed)}` : ''
    throw new Error(`${result} ${failures.slice(0, mostNamed).join('; ')}${more}`)
  }

  const isIncomplete =
    (kind === 'add-tags' && tagsIn(text).length === 0) ||
    (kind === 'add-to-list' && list === '') ||
    // All that match cannot be seen on the page.
    (kind === 'delete' && of.emails === undefined && text.replace(/\D/g, '') !== String(count))
  return (
    <FormDialog
      title={say(titles[kind], { count })}
      isOpen
      onClose={onClose}
      submit={say(submits[kind], { count })}
      danger={kind === 'suppress' || kind === 'delete'}
      isDisabled={isIncomplete}
      onSubmit={run}
    >
      {kind === 'add-to-list' && (
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
      )}
      {kind === 'add-tags' && (
        <TextField label={say('tags')} value={text} onChange={setText} autoFocus note={say('tagsNote')} />
      )}
      {kind === 'suppress' && (
        <>
          <p>{say('suppressEffect')}</p>
          <TextField label={say('reason')} value={text} onChange={setText} maxLength={500} autoFocus dense />
        </>
      )}
      {kind === 'delete' && <p>{say('deleteContactsEffect')}</p>}
      {kind === 'delete' && of.emails === undefined && (
        <TextField
          label={say('typeName', { name: number(count) })}
          value={text}
          onChange={setText}
          autoComplete="off"
          autoFocus
          dense
        />
      )}
      {done !== undefined && <p role="status">{say('bulkProgress', { done, count })}</p>}
    </FormDialog>
  )
}
