import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import type { Template } from '../api/types.js'
import { useWords } from '../editor/visual/words.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { isStarter, starterLabels, starters } from './starters.js'
import { copyOfTemplate } from './template-queries.js'

export const NewTemplate = ({
  isOpen,
  onClose,
  templates,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** To copy. */
  readonly templates: readonly Template[]
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const words = useWords()
  const { projectId, href } = useProject()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const [from, setFrom] = useState<string>('letter')
  return (
    <FormDialog
      title={say('newTemplate')}
      isOpen={isOpen}
      onClose={onClose}
      submit={say('create')}
      why={lacks({ [say('templateName')]: name.trim() === '' })}
      onSubmit={async () => {
        const source = templates.find(({ _id }) => _id === from)
        const called = name.trim()
        const { _id } = source
          ? await copyOfTemplate(projectId, source, called)
          : await call(projectId, 'post', '/templates', {
              body: { name: called, subject: called, document: starters[isStarter(from) ? from : 'empty'](words) },
            })
        navigate(href(`/templates/${_id}`))
      }}
    >
      <TextField
        label={say('templateName')}
        value={name}
        onChange={setName}
        maxLength={200}
        autoFocus
        note={say('nameNote')}
      />
      <Select
        label={say('templateFrom')}
        value={from}
        onChange={setFrom}
        options={[
          ...Object.entries(starterLabels).map(([value, label]) => ({ value, label: say(label) })),
          ...templates.map(({ _id, name: other }) => ({ value: _id, label: say('copyOf', { name: other }) })),
        ]}
        note={say('templateFromNote')}
      />
    </FormDialog>
  )
}
