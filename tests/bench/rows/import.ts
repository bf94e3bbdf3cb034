import { costs, type Row, resultOf } from '../row.js'

/** `posthorn contacts import`, the whole command: Node's start, the survey of the columns, contacts and their subscriptions. */
export const importing: Row = {
  name: 'import',
  run: async (bed) => {
    const { imported } = await bed.installation(bed.options.recipients)
    const { rows, milliseconds, used } = imported
    return [
      resultOf({
        name: 'import',
        recipients: rows,
        rate: (rows * 1000) / milliseconds,
        unit: 'rows',
        ...costs(used, rows),
      }),
    ]
  },
}
