import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useText } from '../text/text.js'
import { Button } from './button.js'
import { type CsvColumn, type Pages, textOf } from './csv.js'
import { Checkbox } from './field.js'
import { Icon } from './icons.js'
import { useKeyboardScrolling } from './long.js'
import { type MenuEntry, RowMenu } from './menu.js'
import css from './table.module.css'
import { TableExportMenu } from './table-menu.js'

export type Column<T> = {
  readonly id: string
  readonly label: string
  readonly cell: (row: T) => ReactNode
  readonly numeric?: boolean
  /** The API sorts by this field. */
  readonly sort?: string
  /** In a file, where the cell is more than text. */
  readonly text?: CsvColumn<T>['text']
  /** Never wraps: a time, a number with its unit. */
  readonly isShort?: boolean
}

/** What a cell shows without a value; cards of phones leave it out. */
const blank = '–'

export type Sort = { readonly by: string; readonly order: 'asc' | 'desc' }

const Cell = ({ children }: { readonly children: ReactNode }) => (
  <div className={css.cell} {...useKeyboardScrolling()}>
    {children}
  </div>
)

/** What the cell adds to the row's name is a column of its own. */
const csvColumns = <T,>({
  columns: [first, ...others],
  nameOf,
}: {
  readonly columns: readonly Column<T>[]
  readonly nameOf: (row: T) => string
}): readonly CsvColumn<T>[] => {
  if (!first) return []
  const saidBy = ({ text, cell }: Column<T>): CsvColumn<T>['text'] =>
    text ??
    ((row) => {
      const said = textOf(cell(row))
      return said === blank ? '' : said
    })
  const more = saidBy(first)
  return [
    { label: first.label, text: nameOf },
    { label: `${first.label} +`, text: more },
    ...others.map((column) => ({ label: column.label, text: saidBy(column) })),
  ]
}

/** The server sorts and pages. On phones, each row is a card whose cells are labelled by their columns. */
export const Table = <T,>({
  label,
  columns,
  rows,
  keyOf,
  nameOf,
  hrefOf,
  menuOf,
  tall = false,
  sort,
  onSort,
  chosen,
  onChoose,
  isWaiting = false,
  above,
  pages,
  csv,
  exports = true,
}: {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly nameOf: (row: T) => string
  readonly hrefOf?: (row: T) => string
  readonly menuOf?: (row: T) => readonly MenuEntry[]
  readonly tall?: boolean
  readonly sort?: Sort | undefined
  readonly onSort?: (sort: Sort) => void
  readonly chosen?: ReadonlySet<string>
  readonly onChoose?: (chosen: ReadonlySet<string>) => void
  /** Shows the page before while the next one loads. */
  readonly isWaiting?: boolean
  readonly above?: ReactNode
  /** All pages, for the file; absent if this is the only one. */
  readonly pages?: Pages<T>
  readonly csv?: readonly CsvColumn<T>[]
  readonly exports?: boolean
}) => {
  const { say } = useText()
  const [first, ...others] = columns
  const choose = (key: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(key)
    else next.delete(key)
    onChoose?.(next)
  }
  const allChosen = chosen !== undefined && rows.length > 0 && rows.every((row) => chosen.has(keyOf(row)))
  const heading = ({ id, label: called, sort: field, numeric = false }: Column<T>) => {
    const isSorted = field !== undefined && sort?.by === field
    const className = numeric ? css.numeric : undefined
    if (field === undefined || !onSort)
      return (
        <th key={id} scope="col" className={className}>
          {called}
        </th>
      )
    return (
      <th
        key={id}
        scope="col"
        className={className}
        aria-sort={isSorted ? (sort.order === 'asc' ? 'ascending' : 'descending') : 'none'}
      >
        <button
          type="button"
          className={`${css.sort} ${isSorted && sort.order === 'desc' ? css.flip : ''}`}
          onClick={() => onSort({ by: field, order: isSorted && sort.order === 'asc' ? 'desc' : 'asc' })}
        >
          {called}
          {isSorted && <Icon name="up" size={12} />}
        </button>
      </th>
    )
  }
  if (!first) return null
  return (
    <div className={css.frame}>
      {above}
      {exports && rows.length > 0 && (
        <TableExportMenu label={label} columns={csv ?? csvColumns({ columns, nameOf })} rows={rows} pages={pages} />
      )}
      <div className={css.scroll}>
        <table
          className={`${css.table} ${exports ? css.withMenu : ''} ${tall ? css.tall : ''} ${isWaiting ? css.waiting : ''}`}
          aria-label={label}
          aria-busy={isWaiting}
        >
          <thead>
            <tr>
              {chosen && (
                <th scope="col" className={css.narrow}>
                  <Checkbox
                    label={say('chooseAllOnPage')}
                    isSelected={allChosen}
                    isIndeterminate={!allChosen && chosen.size > 0}
                    onChange={(isSelected) => onChoose?.(new Set(isSelected ? rows.map(keyOf) : []))}
                  />
                </th>
              )}
              {columns.map(heading)}
              {menuOf && (
                <th scope="col" className={css.narrow}>
                  <span className={css.hidden}>{say('actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const key = keyOf(row)
              const entries = menuOf?.(row) ?? []
              return (
                <tr key={key} className={chosen?.has(key) ? css.chosen : undefined}>
                  {chosen && (
                    <td className={`${css.narrow} ${css.select}`}>
                      <Checkbox
                        label={say('choose', { name: nameOf(row) })}
                        isSelected={chosen.has(key)}
                        onChange={(isSelected) => choose(key, isSelected)}
                      />
                    </td>
                  )}
                  <td className={css.first}>
                    {hrefOf ? (
                      <Link href={hrefOf(row)} className={css.open}>
                        {nameOf(row)}
                      </Link>
                    ) : (
                      <span className={css.open}>{nameOf(row)}</span>
                    )}
                    {first.cell(row)}
                  </td>
                  {others.map(({ id, label: called, cell, numeric = false, isShort = false }) => {
                    const content = cell(row)
                    return (
                      <td
                        key={id}
                        data-label={called}
                        data-blank={content === blank || undefined}
                        className={`${numeric ? css.numeric : ''} ${isShort ? css.short : ''}`}
                      >
                        <Cell>{content}</Cell>
                      </td>
                    )
                  })}
                  {menuOf && (
                    <td className={`${css.narrow} ${css.menu}`}>
                      {entries.length > 0 && (
                        <RowMenu label={say('actionsOn', { name: nameOf(row) })} entries={entries} />
                      )}
                    </td>
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}

export const Second = ({ children }: { readonly children: ReactNode }) => <span className={css.second}>{children}</span>

/** Above the rows while some are chosen. */
export const BulkBar = ({
  count,
  isAll,
  matching,
  onChooseAll,
  onClear,
  children,
}: {
  readonly count: number
  /** Of all pages. */
  readonly isAll: boolean
  readonly matching: number
  readonly onChooseAll: () => void
  readonly onClear: () => void
  readonly children: ReactNode
}) => {
  const { say } = useText()
  return (
    <div className={css.bulk}>
      <span className={css.grow} role="status">
        {say(isAll ? 'allChosenCount' : 'chosenCount', { count })}{' '}
        {!isAll && count < matching && (
          <Button kind="linklike" onPress={onChooseAll}>
            {say('chooseAllMatching', { count: matching })}
          </Button>
        )}
      </span>
      {children}
      <Button kind="quiet" small icon="close" aria-label={say('clearChoice')} onPress={onClear} />
    </div>
  )
}

export const Pager = ({
  label,
  skip,
  limit,
  count,
  onSkip,
}: {
  readonly label: string
  readonly skip: number
  readonly limit: number
  readonly count: number
  readonly onSkip: (skip: number) => void
}) => {
  const { say } = useText()
  if (count === 0) return null
  const to = Math.min(count, skip + limit)
  return (
    <nav className={css.pager} aria-label={`${label}: ${say('pages')}`}>
      <span>{say('pageRange', { from: Math.min(count, skip + 1), to, count })}</span>
      {(skip > 0 || to < count) && (
        <>
          <Button
            small
            icon="left"
            aria-label={say('previousPage')}
            isDisabled={skip === 0}
            onPress={() => onSkip(Math.max(0, skip - limit))}
          />
          <Button
            small
            icon="right"
            aria-label={say('nextPage')}
            isDisabled={to >= count}
            onPress={() => onSkip(skip + limit)}
          />
        </>
      )}
    </nav>
  )
}
