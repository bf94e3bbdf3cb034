import { consoleBase } from '../api/client.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Dialog } from '../ui/dialog.js'
import { useToast } from '../ui/states.js'
import css from './developers.module.css'

/** The reference that the server itself has, in a window of its own. */
export const ReferenceLink = () => {
  const { say } = useText()
  return (
    <a className={css.reference} href={consoleBase.replace(/console$/, 'docs')} target="_blank" rel="noreferrer">
      {say('apiReference')}
    </a>
  )
}

/** A secret that nobody sees again. Escape does not close it: only the button does. */
export const SecretDialog = ({
  title,
  text,
  secret,
  onClose,
}: {
  readonly title: string
  readonly text: string
  readonly secret: string
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const toast = useToast()
  return (
    <Dialog
      title={title}
      isOpen
      isStaying
      onClose={onClose}
      foot={
        <>
          <Button kind="quiet" onPress={onClose}>
            {say('close')}
          </Button>
          <Button
            kind="primary"
            icon="copy"
            onPress={() => void navigator.clipboard?.writeText(secret).then(() => toast(say('copied')))}
          >
            {say('copy')}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      <code className={css.secret}>{secret}</code>
    </Dialog>
  )
}
