import type { ReactNode } from 'react'
import { useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Icon } from '../ui/icons.js'
import { ErrorNote, Note, useErrorText } from '../ui/states.js'
import type { DraftState, SaveState } from './draft.js'
import css from './draft-notes.module.css'

/** Beside the title. */
export const SaveNote = ({ save }: { readonly save: SaveState }) => {
  const { say, time } = useText()
  if (save.state === 'failed')
    return (
      <span className={`${css.save} ${css.failed}`} role="status">
        <Icon name="warning" size={14} />
        {say('notSaved')}
      </span>
    )
  return (
    <span className={css.save} role="status">
      {save.state === 'saved' && <Icon name="check" size={14} />}
      {save.state === 'saved' ? say('savedAt', { time: time(save.at) }) : say('saving')}
    </span>
  )
}

export const WarningsNote = ({ warnings }: { readonly warnings: readonly string[] }) =>
  warnings.length > 0 && (
    <Note kind="warn">
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Note>
  )

type Versions = DraftState<{ readonly _id: string; readonly updatedAt: string; readonly updatedBy?: string }>

export const DraftNotes = ({
  draft: { save, others, flush, keepMine, discard },
  isRestored,
  onReload,
  gone,
}: {
  readonly draft: Versions
  /** With changes of an earlier visit. */
  readonly isRestored: boolean
  readonly onReload: () => void
  /** If somebody has deleted it. */
  readonly gone: ReactNode
}) => {
  const { say, since } = useText()
  const errorText = useErrorText()
  const { person } = useSession()
  const isFailed = save.state === 'failed'
  const isOwn = others?.updatedBy === person.name
  return (
    <>
      {isFailed && save.kind === 'gone'
        ? gone
        : isFailed &&
          save.kind !== 'invalid' &&
          !others && <ErrorNote error={save.error} onRetry={() => void flush()} />}
      {isRestored && save.state !== 'saved' && <Note>{say('unsavedRestored')}</Note>}
      {isFailed && save.kind === 'invalid' && (
        <Note kind="bad">
          <p>{say('refusedDraft')}</p>
          <ul>
            {errorText(save.error).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Note>
      )}
      {others && (
        <Note
          kind="warn"
          action={
            <span className={css.row}>
              <Button
                small
                onPress={() => {
                  discard()
                  onReload()
                }}
              >
                {say(isOwn ? 'loadOther' : 'loadTheirs')}
              </Button>
              <Button small onPress={() => void keepMine()}>
                {say(isOwn ? 'keepThis' : 'keepMine')}
              </Button>
            </span>
          }
        >
          {isOwn
            ? say('changedByYou')
            : others.updatedBy === undefined
              ? say('changedElsewhere', { time: since(others.updatedAt) })
              : say('changedBy', { name: others.updatedBy, time: since(others.updatedAt) })}
        </Note>
      )}
    </>
  )
}
