import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readFile, urlOf } from '../api/client.js'
import type { SignupForm } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button, DownloadLink, Segmented } from '../ui/button.js'
import { Dialog } from '../ui/dialog.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { formPageUrl } from './form-address.js'
import css from './forms.module.css'

type Kind = 'script' | 'plain' | 'link'

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** A form without script, which brings the address to the form's own page. */
const plainForm = ({ _id, emailPlaceholder, btnLabel }: SignupForm) =>
  `<form action="${formPageUrl(_id)}" method="post">
  <label>${escaped(emailPlaceholder)}
    <input type="email" name="email" autocomplete="email" maxlength="254" required>
  </label>
  <button>${escaped(btnLabel)}</button>
</form>`

/** The part of the server's page that a website takes over. */
const snippetOf = (page: string) => /<body>\n([\s\S]*)<\/body>/.exec(page)?.[1] ?? page

export const EmbedDialog = ({ form, onClose }: { readonly form: SignupForm; readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const toast = useToast()
  const [kind, setKind] = useState<Kind>('script')
  const params = { id: form._id }
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'form-embed', form._id, form.updatedAt],
    queryFn: async ({ signal }) => snippetOf(await readFile(projectId, '/signup-forms/{id}/embed', { params, signal })),
  })
  const code = kind === 'script' ? data : kind === 'plain' ? plainForm(form) : formPageUrl(form._id)
  const texts = { script: 'formEmbedScriptText', plain: 'formEmbedPlainText', link: 'formEmbedLinkText' } as const
  return (
    <Dialog
      title={say('formEmbed')}
      isOpen
      wide
      onClose={onClose}
      foot={
        <>
          <Button kind="quiet" onPress={onClose}>
            {say('close')}
          </Button>
          {kind === 'script' && (
            <DownloadLink href={urlOf(projectId, '/signup-forms/{id}/embed', { params })}>
              {say('formEmbedFile')}
            </DownloadLink>
          )}
          <Button
            kind="primary"
            icon="copy"
            isDisabled={code === undefined}
            onPress={() => void navigator.clipboard?.writeText(code ?? '').then(() => toast(say('copied')))}
          >
            {say('copy')}
          </Button>
        </>
      }
    >
      <Segmented
        label={say('formEmbed')}
        value={kind}
        onChange={setKind}
        choices={[
          { value: 'script', label: say('formEmbedScript') },
          { value: 'plain', label: say('formEmbedPlain') },
          { value: 'link', label: say('formEmbedLink') },
        ]}
      />
      <p>{say(texts[kind])}</p>
      {kind === 'script' && error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : code === undefined ? (
        <Skeleton rows={4} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <pre className={css.code} tabIndex={0}>
          <code>{code}</code>
        </pre>
      )}
      {kind === 'script' && <Note>{say('formEmbedOrigin')}</Note>}
    </Dialog>
  )
}
