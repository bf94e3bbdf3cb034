import { useState } from 'react'
import { useText } from '../../text/text.js'
import { FormDialog } from '../../ui/dialog.js'
import { TextField } from '../../ui/field.js'
import { useLacks } from '../../ui/lacks.js'
import type { MjmlNode } from './document.js'
import { fromHtml, fromMjml, MjmlProblem } from './mjml-text.js'

/** MJML becomes elements, HTML one block. */
export const ImportDialog = ({
  isOpen,
  onClose,
  onImport,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onImport: (root: MjmlNode) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const [source, setSource] = useState('')
  return (
    <FormDialog
      wide
      title={say('visualImportTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={say('visualImport')}
      why={lacks({ [say('visualImportSource')]: source.trim() === '' })}
      onSubmit={async () => {
        try {
          onImport(/<mjml[\s>]/i.test(source) ? fromMjml(source) : fromHtml(source))
          setSource('')
        } catch (error) {
          throw error instanceof MjmlProblem ? new Error(say('visualImportFailed', { name: error.element })) : error
        }
      }}
    >
      <p>{say('visualImportText')}</p>
      <TextField label={say('visualImportSource')} value={source} onChange={setSource} rows={12} />
    </FormDialog>
  )
}
