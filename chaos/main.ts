import { parseArgs } from 'node:util'
import { chaos } from './chaos.js'
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

const stores =
  values.store === 'both'
    ? (['sqlite', 'mongodb'] as const)
    : ([values.store === 'mongodb' ? 'mongodb' : 'sqlite'] as const)
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed)
let broken = 0
for (const store of stores) {
  const recipients = Number(values.recipients ?? (store === 'sqlite' ? 10_000 : 2_000))
  console.log(`${store}, seed ${seed}, campaigns to ${recipients}`)
  const results = await chaos({
    store,
    seed,
    runs: Number(values.runs),
    recipients,
    run: values.run === undefined ? undefined : Number(values.run),
    only: values.only,
    said: (line) => console.log(line),
  })
  broken += results.filter((result) => result.broken.length > 0).length
}
if (values.store !== 'mongodb' && values.run === undefined && values.only === undefined && values.cuts !== '0') {
  const reason = powerLossImpossible()
  console.log(reason === undefined ? `sqlite, seed ${seed}, loss of power` : `No loss of power is tried: ${reason}`)
  const cuts = reason === undefined ? Number(values.cuts) : 0
  const said = (line: string) => console.log(line)
  const results = cuts > 0 ? await powerLoss({ seed, recipients: 2_000, cuts, said }) : []
  broken += results.filter((result) => result.broken.length > 0).length
}
console.log(broken === 0 ? 'Everything held.' : `${broken} runs broke.`)
process.exit(broken === 0 ? 0 : 1)
