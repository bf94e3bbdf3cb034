import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useText } from '../text/text.js'
import { Button } from './button.js'
import css from './dialog.module.css'
import { TextField } from './field.js'
import { type Fields, useFormProblems } from './form-problems.js'
import { Long } from './long.js'

/** States what happens, in numbers. Escape and Cancel close it without effect. */
export const Dialog = ({
  title,
  isOpen,
  onClose,
  isStaying = false,
  wide = false,
  children,
  foot,
}: {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Cannot be dismissed: there is no other way on. */
  readonly isStaying?: boolean
  readonly wide?: boolean
  readonly children?: ReactNode
  readonly foot?: ReactNode
}) => (
  <ModalOverlay
    className={css.overlay}
    isOpen={isOpen}
    isDismissable={false}
    isKeyboardDismissDisabled={isStaying}
    onOpenChange={(open) => {
      if (!open) onClose()
    }}
  >
    <Modal className={`${css.modal} ${wide ? css.wide : ''}`}>
      <AriaDialog className={css.dialog}>
        <div className={css.body}>
          <Heading slot="title" level={2}>
            <Long>{title}</Long>
          </Heading>
          {children}
        </div>
        {foot && <div className={css.foot}>{foot}</div>}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)

/** Enter submits; problems show at their field or above the buttons. */
export const FormDialog = ({
  title,
  isOpen,
  onClose,
  submit,
  onSubmit,
  why,
  isDisabled = why !== undefined,
  danger = false,
  wide = false,
  children,
}: {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly submit: string
  /** Closes the dialog unless it throws. */
  readonly onSubmit: () => Promise<void>
  /** Why it cannot be submitted yet. */
  readonly why?: string | undefined
  readonly isDisabled?: boolean
  readonly danger?: boolean
  readonly wide?: boolean
  readonly children?: Fields
}) => {
  const { say } = useText()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const reasonId = useId()
  const { form, fields } = useFormProblems(children, error)
  const close = () => {
    setError(undefined)
    onClose()
  }
  const run = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || isDisabled) return
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit()
      close()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <ModalOverlay
      className={css.overlay}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) close()
      }}
    >
      <Modal className={`${css.modal} ${wide ? css.wide : ''}`}>
        <AriaDialog className={css.dialog}>
          <form ref={form} onSubmit={(event) => void run(event)} noValidate>
            <div className={css.body}>
              <Heading slot="title" level={2}>
                <Long>{title}</Long>
              </Heading>
              {fields}
            </div>
            <div className={css.foot}>
              {isDisabled && !isBusy && (
                <small id={reasonId} className={css.why}>
                  {why ?? say('formIncomplete')}
                </small>
              )}
              <Button kind="quiet" onPress={close}>
                {say('cancel')}
              </Button>
              <Button
                type="submit"
                {...(danger ? { danger: true } : { kind: 'primary' as const })}
                isDisabled={isBusy}
                {...(isDisabled && { isPending: true, 'aria-describedby': reasonId })}
              >
                {isBusy ? say('working') : submit}
              </Button>
            </div>
          </form>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** For an act that cannot be undone: its name must be typed. */
export const DestroyDialog = ({
  title,
  effect,
  children,
  name,
  submit,
  isOpen,
  onClose,
  onSubmit,
}: {
  readonly title: string
  readonly effect: string
  /** More about the effect. */
  readonly children?: ReactNode
  readonly name: string
  readonly submit: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSubmit: () => Promise<void>
}) => {
  const { say } = useText()
  const [typed, setTyped] = useState('')
  const close = () => {
    setTyped('')
    onClose()
  }
  return (
    <FormDialog
      title={title}
      isOpen={isOpen}
      onClose={close}
      submit={submit}
      onSubmit={onSubmit}
      danger
      why={typed.trim() === name.trim() ? undefined : say('typeName', { name })}
    >
      <p>{effect}</p>
      {children}
      <TextField
        label={say('typeName', { name })}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        autoFocus
        dense
      />
    </FormDialog>
  )
}
