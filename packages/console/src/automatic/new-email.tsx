import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import { collectItems, maxPageSize, useLists } from '../api/records.js'
import { useProject } from '../shell/session.js'
import { documentOf } from '../templates/template-queries.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { createEmail, type Kind } from './emails.js'

const letter = (kind: Kind) => `<p>Hello {{DEFAULT contact.name "there"}},</p>
<p></p>
${kind === 'triggered' ? '<p><a href="{{unsubscribeLink}}">Unsubscribe</a></p>\n' : ''}`

export const NewEmail = ({
  kind,
  isOpen,
  onClose,
}: {
  readonly kind: Kind
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId, href } = useProject()
  const [, navigate] = useLocation()
  const lists = useLists(projectId)
  const templates = useQuery({
    queryKey: [projectId, 'templates', 'all'],
    queryFn: ({ signal }) =>
      collectItems((skip) => call(projectId, 'get', '/templates', { query: { limit: maxPageSize, skip }, signal })),
    enabled: isOpen,
  })
  const [name, setName] = useState('')
  const [list, setList] = useState<string>()
  const [from, setFrom] = useState('')
  const subscriberListId = list ?? (lists.data?.length === 1 ? lists.data[0]?._id : undefined)
  return (
    <FormDialog
      title={say(kind === 'triggered' ? 'autoNewTriggered' : 'autoNewTransactional')}
      isOpen={isOpen}
      onClose={onClose}
      submit={say('create')}
      why={lacks({
        [say('name')]: name.trim() === '',
        [say('list')]: kind === 'triggered' && subscriberListId === undefined,
      })}
      onSubmit={async () => {
        const called = name.trim()
        const template = templates.data?.find(({ _id }) => _id === from)
        const content = template
          ? { subject: template.subject, document: await documentOf(projectId, template._id) }
          : { subject: called, type: 'html' as const, document: letter(kind) }
        const { _id } = await createEmail(projectId, kind, {
          ...content,
          name: called,
          ...(template?.previewText !== undefined && { previewText: template.previewText }),
          ...(kind === 'triggered' && { subscriberListId: subscriberListId ?? '' }),
        })
        navigate(href(`/automatic/${kind}/${_id}`))
      }}
    >
      <TextField label={say('name')} value={name} onChange={setName} maxLength={200} autoFocus note={say('nameNote')} />
      {kind === 'triggered' && (
        <Select
          label={say('list')}
          value={subscriberListId}
          onChange={setList}
          placeholder={say('chooseOne')}
          options={(lists.data ?? []).map(({ _id, name: label }) => ({ value: _id, label }))}
        />
      )}
      <Select
        label={say('templateFrom')}
        value={from}
        onChange={setFrom}
        options={[
          { value: '', label: say('starterLetter') },
          ...(templates.data ?? []).map(({ _id, name: label }) => ({ value: _id, label })),
        ]}
      />
    </FormDialog>
  )
}
