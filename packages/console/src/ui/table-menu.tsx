import { useEffect, useRef, useState } from 'react'
import { useText } from '../text/text.js'
import { type CsvColumn, collectRows, csvOf, mostExported, type Pages, saveCsv } from './csv.js'
import { RowMenu } from './menu.js'
import { ErrorNote, useToast } from './states.js'
import css from './table.module.css'

/** What may be done with a whole table: save it as CSV, all pages of the current filter. */
export const TableExportMenu = <T,>({
  label,
  columns,
  rows,
  pages,
}: {
  readonly label: string
  readonly columns: readonly CsvColumn<T>[]
  readonly rows: readonly T[]
  readonly pages: Pages<T> | undefined
}) => {
  const { say, number } = useText()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const run = async () => {
    const controller = new AbortController()
    const { signal } = controller
    running.current = controller
    setBusy(true)
    setError(undefined)
    try {
      const { rows: all, isCut } = pages ? await collectRows(pages(signal)) : { rows, isCut: false }
      saveCsv(label, await csvOf(columns, all))
      toast(say(isCut ? 'csvCut' : 'csvDone', { count: all.length }))
    } catch (thrown) {
      if (!signal.aborted) setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div className={css.tableMenu}>
        <RowMenu
          label={say('tableMenu', { name: label })}
          entries={[
            {
              id: 'csv',
              label: isBusy ? say('working') : say('csvExport', { count: number(mostExported) }),
              icon: 'download',
              isDisabled: isBusy,
              onAction: () => void run(),
            },
          ]}
        />
      </div>
      {error !== undefined && <ErrorNote error={error} onRetry={() => void run()} />}
    </>
  )
}
