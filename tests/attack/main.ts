import { parseArgs } from 'node:util'
import { attack, failuresOf } from './attack.js'
import { table } from './report.js'

const { values } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    checkout: { type: 'string', default: '.' },
    only: { type: 'string' },
  },
})

const results = await attack({
  small: values.small,
  checkout: values.checkout,
  only: values.only === undefined ? undefined : [values.only],
  said: (line) => console.error(line),
})
console.log(table(results))
process.exit(results.some((result) => failuresOf(result).length > 0) ? 1 : 0)
