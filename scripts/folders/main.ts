import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { circles, climbs, edgesBelow, orderIn } from './folder-order.js'

// Says which imports of the core climb the list in CONTRIBUTING, and which folders of the other packages form a circle.

const core = 'packages/core/src'
const order = orderIn(readFileSync('CONTRIBUTING.md', 'utf8'), 'The map of the core')
const sources = ['packages', 'apps'].flatMap((group) => readdirSync(group).map((name) => `${group}/${name}/src`))

const wrong = [
  ...climbs(edgesBelow(core), order).map((one) => `${core}: ${one}`),
  ...sources
    .filter((source) => source !== core && existsSync(source))
    .flatMap((source) => circles(edgesBelow(source)).map((one) => `${source}: ${one}`)),
]
for (const one of wrong) console.error(one)
if (order.length === 0) console.error('CONTRIBUTING.md has no list under "The map of the core"')
process.exitCode = wrong.length > 0 || order.length === 0 ? 1 : 0
