import { parseArgs } from 'node:util'
import { chaos } from './chaos.js'
import { faults } from './faults/index.js'
import { powerLoss, powerLossImpossible } from './power/power-loss.js'

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'both' },
    seed: { type: 'string' },
    runs: { type: 'string', default: '20' },
    run: { type: 'string' },
    recipients: { type: 'string' },
    only: { type: 'string', multiple: true },
    cuts: { type: 'string', default: '20' },
  },
})

const wrong = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const wholeNumber = (name: string, text: string): number =>
  /^\d{1,9}$/.test(text) ? Number(text) : wrong(`--${name}: expected a whole number; not ${text}`)

const names = faults.map(({ name }) => name)
const unknown = values.only?.find((name) => !names.includes(name))
if (unknown !== undefined) wrong(`--only: expected some of ${names.join(', ')}; not ${unknown}`)
if (!['both', 'sqlite', 'mongodb'].includes(values.store))
  wrong(`--store: expected sqlite, mongodb or both; not ${values.store}`)

const stores = (['sqlite', 'mongodb'] as const).filter((store) => values.store === 'both' || values.store === store)
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : wholeNumber('seed', values.seed)
let broken = 0
for (const store of stores) {
  const recipients = wholeNumber('recipients', values.recipients ?? (store === 'sqlite' ? '10000' : '2000'))
  console.log(`${store}, seed ${seed}, campaigns to ${recipients}`)
  const results = await chaos({
    store,
    seed,
    runs: wholeNumber('runs', values.runs),
    recipients,
    run: values.run === undefined ? undefined : wholeNumber('run', values.run),
    only: values.only,
    said: (line) => console.log(line),
  })
  broken += results.filter((result) => result.broken.length > 0).length
}
if (values.store !== 'mongodb' && values.run === undefined && values.only === undefined && values.cuts !== '0') {
  const reason = powerLossImpossible()
  console.log(reason === undefined ? `sqlite, seed ${seed}, loss of power` : `No loss of power is tried: ${reason}`)
  const cuts = reason === undefined ? wholeNumber('cuts', values.cuts) : 0
  const said = (line: string) => console.log(line)
  const results = cuts > 0 ? await powerLoss({ seed, recipients: 2_000, cuts, said }) : []
  broken += results.filter((result) => result.broken.length > 0).length
}
console.log(broken === 0 ? 'Everything held.' : `${broken} runs broke.`)
process.exit(broken === 0 ? 0 : 1)
