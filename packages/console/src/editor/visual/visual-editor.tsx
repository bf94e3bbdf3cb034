import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api/client.js'
import { useProject } from '../../shell/session.js'
import { useDesignSystem } from '../../templates/design-queries.js'
import { starters } from '../../templates/starters.js'
import { useText } from '../../text/text.js'
import { Button, Segmented } from '../../ui/button.js'
import { download } from '../../ui/download.js'
import { RowMenu } from '../../ui/menu.js'
import { ErrorNote, Note } from '../../ui/states.js'
import type { EmailRef } from '../preview.js'
import { findItem, keyOf, outlineOf, siblingsOf } from './block-helpers.js'
import { emptyDocument } from './blocks.js'
import { Canvas } from './canvas.js'
import { everyNode, inserted, type MjmlNode, moved, nodeAt, replaced } from './document.js'
import { changed, type History, redone, startingWith, undone } from './history.js'
import { ImportDialog } from './import-dialog.js'
import { InsertMenu } from './insert-menu.js'
import { insertionOf } from './insertion.js'
import { BlockHelperFields, type EditHandler, ItemActions } from './item-actions.js'
import { toMjml } from './mjml-text.js'
import { itemName } from './names.js'
import { Outline } from './outline.js'
import { Properties } from './properties.js'
import css from './visual.module.css'
import { useWords } from './words.js'

const panes = ['outline', 'canvas', 'properties'] as const
type Pane = (typeof panes)[number]

/** Opening changes nothing; each change is of one element, and can be undone. `value`: undefined for no document yet. */
export const VisualEditor = ({
  value,
  onChange,
  email,
  names,
  isReadOnly,
}: {
  readonly value: MjmlNode | undefined
  readonly onChange: (value: MjmlNode) => void
  readonly email: EmailRef
  readonly names: readonly string[]
  readonly isReadOnly: boolean
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const design = useDesignSystem().data ?? undefined
  const words = useWords()
  const [history, setHistory] = useState<History<MjmlNode>>(() => startingWith(value ?? emptyDocument))
  const [selected, setSelected] = useState<string>()
  const [pane, setPane] = useState<Pane>('canvas')
  const [isImporting, setImporting] = useState(false)
  const [failed, setFailed] = useState<unknown>()
  const written = useRef(JSON.stringify(value))
  // Another version of the document, such as that of another person.
  useEffect(() => {
    const text = JSON.stringify(value)
    if (value === undefined || text === written.current) return
    written.current = text
    setHistory(startingWith(value))
  }, [value])

  const { now: root } = history
  const items = useMemo(() => outlineOf(root), [root])
  const item = selected === undefined ? undefined : findItem(items, selected)
  const write = (next: History<MjmlNode>) => {
    if (next === history || isReadOnly) return
    setHistory(next)
    written.current = JSON.stringify(next.now)
    onChange(next.now)
  }
  const edit: EditHandler = (next, key, change = '') => {
    write(changed(history, next, change, Date.now()))
    setSelected(key)
  }
  const insert = (node: MjmlNode) => {
    const insertion = insertionOf(root, item, node)
    if (!insertion) return
    const { place, nodes } = insertion
    const next = inserted(root, place, nodes)
    const found = [...everyNode(next)].find(([one]) => one === node)
    edit(next, found && keyOf(found[1]))
    setPane('properties')
  }
  const select = (key: string) => setSelected(key)
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return
    const key = event.key.toLowerCase()
    const isRedo = key === 'y' || (key === 'z' && event.shiftKey)
    if (key !== 'z' && !isRedo) return
    event.preventDefault()
    write(isRedo ? redone(history) : undone(history))
  }
  const exportHtml = async () => {
    setFailed(undefined)
    try {
      const { html } = await call(projectId, 'post', '/document-preview/{id}', {
        params: { id: email.id },
        body: { type: email.kind, document: root },
      })
      download('email.html', 'text/html', [html])
    } catch (error) {
      setFailed(error)
    }
  }
  const importing = (
    <ImportDialog
      isOpen={isImporting}
      onClose={() => setImporting(false)}
      onImport={(imported) => edit(imported, undefined)}
    />
  )
  if (value === undefined && !isReadOnly)
    return (
      <div className={css.start}>
        <p>{say('visualEmpty')}</p>
        <Button kind="primary" onPress={() => edit(starters.newsletter(words), undefined)}>
          {say('visualStarter')}
        </Button>
        <Button onPress={() => edit(emptyDocument, '/0')}>{say('visualBlank')}</Button>
        <Button onPress={() => setImporting(true)}>{say('visualImportTitle')}</Button>
        {importing}
      </div>
    )
  const siblings = item ? siblingsOf(items, item.key).filter(({ branch }) => !branch) : []
  return (
    <div className={css.editor} onKeyDownCapture={onKeyDown}>
      <div className={css.bar}>
        {!isReadOnly && (
          <>
            <InsertMenu design={design} onInsert={insert} />
            <Button
              small
              icon="undo"
              aria-label={say('visualUndo')}
              why={history.past.length === 0 ? say('nothingToUndo') : undefined}
              onPress={() => write(undone(history))}
            />
            <Button
              small
              icon="redo"
              aria-label={say('visualRedo')}
              why={history.future.length === 0 ? say('nothingToRedo') : undefined}
              onPress={() => write(redone(history))}
            />
          </>
        )}
        <span className={css.panes}>
          <Segmented
            label={say('visualPanes')}
            value={pane}
            onChange={setPane}
            choices={[
              { value: 'outline', label: say('visualOutline') },
              { value: 'canvas', label: say('visualCanvas') },
              { value: 'properties', label: say('visualProperties') },
            ]}
          />
        </span>
        <RowMenu
          label={say('visualMenu')}
          entries={[
            ...(isReadOnly
              ? []
              : [{ id: 'import', label: say('visualImportTitle'), onAction: () => setImporting(true) }]),
            {
              id: 'mjml',
              label: say('visualExportMjml'),
              icon: 'download',
              onAction: () => download('email.mjml', 'text/plain', [toMjml(root)]),
            },
            { id: 'html', label: say('visualExportHtml'), icon: 'download', onAction: () => void exportHtml() },
          ]}
        />
      </div>
      {failed !== undefined && <ErrorNote error={failed} />}
      <div className={css.three} data-pane={pane}>
        <section className={css.outline} aria-label={say('visualOutline')}>
          <Outline
            root={root}
            items={items}
            selected={item?.key}
            onSelect={select}
            onMove={(moving, place) => {
              const result = moved(root, moving.span, place)
              if (result) edit(result.root, keyOf(result.path))
            }}
            isReadOnly={isReadOnly}
          />
        </section>
        <section className={css.middle} aria-label={say('visualCanvas')}>
          <Canvas root={root} email={email} selected={item?.key} onSelect={select} />
        </section>
        <section className={css.properties} aria-label={say('visualProperties')}>
          {item ? (
            <>
              <h2 className={css.heading}>{itemName(say, item)}</h2>
              {!isReadOnly && (
                <ItemActions
                  root={root}
                  item={item}
                  siblings={siblings}
                  parent={nodeAt(root, item.span.parent)?.tagName ?? ''}
                  onEdit={edit}
                />
              )}
              {isReadOnly ? null : item.wrapper || item.branch ? (
                <BlockHelperFields key={item.key} root={root} item={item} names={names} onEdit={edit} />
              ) : (
                <Properties
                  key={item.key}
                  node={item.node}
                  names={names}
                  design={design}
                  onChange={(node, key) =>
                    edit(
                      replaced(root, item.path, () => node),
                      item.key,
                      `${item.key} ${key}`,
                    )
                  }
                />
              )}
            </>
          ) : (
            <Note>{say('visualSelect')}</Note>
          )}
        </section>
      </div>
      {importing}
    </div>
  )
}
