import type { ReactNode } from 'react'
import { useText } from '../text/text.js'
import { Button } from './button.js'
import css from './copy-dialog.module.css'
import { Dialog } from './dialog.js'
import { useToast } from './states.js'

export const CopyDialog = ({
  title,
  text,
  value,
  isOpen = true,
  isStaying = false,
  children,
  note,
  onClose,
}: {
  readonly title: string
  readonly text: string
  /** Undefined while it is loading. */
  readonly value: string | undefined
  readonly isOpen?: boolean
  /** Only the button closes it: nobody sees the value again. */
  readonly isStaying?: boolean
  readonly children?: ReactNode
  readonly note?: ReactNode
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const toast = useToast()
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      isStaying={isStaying}
      onClose={onClose}
      foot={
        <>
          <Button kind="quiet" onPress={onClose}>
            {say('close')}
          </Button>
          <Button
            kind="primary"
            icon="copy"
            isDisabled={value === undefined}
            onPress={() => void navigator.clipboard?.writeText(value ?? '').then(() => toast(say('copied')))}
          >
            {say('copy')}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      {children}
      {value !== undefined && <code className={css.value}>{value}</code>}
      {note}
    </Dialog>
  )
}
