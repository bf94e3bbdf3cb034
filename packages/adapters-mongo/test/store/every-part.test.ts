import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { contractParts } from '@posthorn/testkit/contracts'
import { expect, it } from 'vitest'

it.each(Object.keys(contractParts))('has a file that runs the suites of %s', (part) => {
  expect(existsSync(join(import.meta.dirname, `${part}.contract.test.ts`))).toBe(true)
})
