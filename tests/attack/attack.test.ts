import { expect, it } from 'vitest'
import { checkout } from '../server-process.js'
import { thorough } from '../thorough.js'
import { attack } from './attack.js'
import { keyScenes } from './scenes/keys.js'
import { templateScenes } from './scenes/templates.js'

const least = thorough ? 30 : 2
const smoke = [keyScenes[0], templateScenes((_, little) => little)[0]].flatMap((scene) => scene?.name ?? [])

it('stops every attack while other tenants are served', async () => {
  const results = await attack({ small: true, checkout, ...(!thorough && { only: smoke }), said: () => undefined })
  expect(results.length).toBeGreaterThanOrEqual(least)
  expect(results.flatMap(({ name, broken }) => broken.map((line) => `${name}: ${line}`))).toEqual([])
}, 900_000)
