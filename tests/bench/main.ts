import { parseArgs } from 'node:util'
import { type BenchOptions, bench, rowNames } from './bench.js'
import { benchCommands } from './mongodb-commands.js'
import { bySize, table } from './report.js'

const wrong = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const oneOf = <T extends string>(name: string, value: string, choices: readonly T[]): T =>
  choices.find((choice) => choice === value) ?? wrong(`--${name}: expected one of ${choices.join(', ')}; not ${value}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '100000' },
    store: { type: 'string', default: 'sqlite' },
    mailer: { type: 'string', default: 'smtp' },
    only: { type: 'string' },
    scale: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

const recipients = Number(values.recipients)
if (!Number.isInteger(recipients) || recipients < 1) wrong('--recipients: expected a whole number from 1')

if (values.store === 'mongodb' && values.only === 'commands') {
  await benchCommands(recipients)
  process.exit(0)
}

const options: BenchOptions = {
  recipients,
  store: oneOf('store', values.store, ['sqlite', 'mongodb']),
  mailer: oneOf('mailer', values.mailer, ['smtp', 'ses']),
  only: values.only === undefined ? undefined : oneOf('only', values.only, rowNames),
  scale: values.scale,
  said: (line) => console.error(line),
}
const report = await bench(options)
if (values.json) console.log(JSON.stringify(report, undefined, 2))
else console.log(`${table(report.rows)}\n${bySize(report.rows)}`)
process.exit(0)
