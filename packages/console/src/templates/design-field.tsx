import { useState } from 'react'
import { GalleryPicker } from '../gallery/gallery-picker.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { RowMenu } from '../ui/menu.js'
import { Badge } from '../ui/states.js'
import css from './design.module.css'
import type { DesignEntry, DesignValue, Style, StyleValue } from './design-entries.js'

/** A number stays one while it is edited. */
const valueLike = (before: StyleValue | undefined, text: string): StyleValue =>
  typeof before === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text

const StyleFields = ({
  style,
  isReadOnly,
  onChange,
}: {
  readonly style: Style
  readonly isReadOnly: boolean
  readonly onChange: (style: Style) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const [added, setAdded] = useState('')
  const property = added.trim()
  return (
    <div className={css.style}>
      {Object.entries(style).map(([name, value]) => (
        <div key={name} className={css.property}>
          <TextField
            label={name}
            value={String(value)}
            isDisabled={isReadOnly}
            onChange={(text) => onChange({ ...style, [name]: valueLike(value, text) })}
            dense
          />
          {!isReadOnly && (
            <Button
              kind="quiet"
              small
              icon="close"
              aria-label={say('designRemoveProperty', { name })}
              onPress={() => onChange(Object.fromEntries(Object.entries(style).filter(([one]) => one !== name)))}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <form
          className={css.property}
          onSubmit={(event) => {
            event.preventDefault()
            if (property === '' || Object.hasOwn(style, property)) return
            onChange({ ...style, [property]: '' })
            setAdded('')
          }}
        >
          <TextField label={say('designNewProperty')} value={added} onChange={setAdded} placeholder="fontSize" dense />
          <Button
            small
            icon="plus"
            type="submit"
            aria-label={say('designAddProperty')}
            why={lacks({ [say('designNewProperty')]: property === '' })}
          />
        </form>
      )}
    </div>
  )
}

export const DesignField = ({
  entry,
  isReadOnly,
  problem,
  onChange,
  onReset,
}: {
  readonly entry: DesignEntry
  readonly isReadOnly: boolean
  readonly problem: string | undefined
  readonly onChange: (entry: DesignEntry) => void
  readonly onReset: () => void
}) => {
  const { say, language } = useText()
  const [isPicking, setPicking] = useState(false)
  const { name, value, key, category, main = false, overridden = false } = entry
  // The server has its descriptions in English only.
  const description = language === 'en' ? entry.description : undefined
  const set = (next: DesignValue) => onChange({ ...entry, value: next, overridden: true })
  const menu = [
    ...(main
      ? []
      : [
          {
            id: 'main',
            label: say('designMakeMain'),
            icon: 'check' as const,
            onAction: () => onChange({ ...entry, main: true, overridden: true }),
          },
        ]),
    ...(overridden ? [{ id: 'reset', label: say('designReset'), icon: 'retry' as const, onAction: onReset }] : []),
  ]
  const isColor = category === 'variables' && key === 'colors'
  return (
    <li className={css.entry}>
      <div className={css.entryHead}>
        <b className={css.entryName}>{name}</b>
        {main && (
          <Badge tone="plain" icon="check">
            {say('designMain')}
          </Badge>
        )}
        {overridden && (
          <Badge tone="running" icon="pencil">
            {say('designChanged')}
          </Badge>
        )}
        <span className={css.grow} />
        {!isReadOnly && menu.length > 0 && <RowMenu label={say('actionsOn', { name })} entries={menu} />}
      </div>
      {typeof value === 'string' ? (
        <div className={css.value}>
          {isColor && (
            <input
              type="color"
              className={css.color}
              aria-label={say('designPickColor', { name })}
              value={/^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
              disabled={isReadOnly}
              onChange={(event) => set(event.target.value)}
            />
          )}
          <div className={css.grow}>
            <TextField
              label={name}
              labelHidden
              value={value}
              onChange={set}
              isDisabled={isReadOnly}
              note={description}
              error={problem}
              maxLength={2000}
            />
          </div>
          {key === 'images' && !isReadOnly && (
            <Button icon="image" onPress={() => setPicking(true)}>
              {say('gallery')}
            </Button>
          )}
        </div>
      ) : (
        <>
          {description && <p className={css.note}>{description}</p>}
          <StyleFields style={value} isReadOnly={isReadOnly} onChange={set} />
          {problem && (
            <p className={css.problem} role="alert">
              {problem}
            </p>
          )}
        </>
      )}
      <GalleryPicker isOpen={isPicking} onClose={() => setPicking(false)} onPick={({ url }) => set(url)} />
    </li>
  )
}
