import { useText } from '../text/text.js'
import { Icon } from '../ui/icons.js'
import type { SaveState } from './draft.js'
import css from './save-note.module.css'

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
