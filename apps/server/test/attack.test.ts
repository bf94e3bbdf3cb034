import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { attack } from '../../../tests/attack/attack.js'

it('lets nothing of an attack through, and nobody else goes unanswered', async () => {
  const checkout = fileURLToPath(new URL('../../..', import.meta.url))
  const results = await attack({ small: true, checkout, said: () => undefined })
  expect(results.length).toBeGreaterThan(30)
  expect(results.flatMap(({ name, broken }) => broken.map((line) => `${name}: ${line}`))).toEqual([])
}, 900_000)
