import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bundled } from './bundle.js'

const kilobytes = (code: string) => gzipSync(code).length / 1000

describe('the bundled client', () => {
  it('has at most 15 kB, gzipped', async () => {
    expect(kilobytes(await bundled(`export * from '@posthorn/client'`))).toBeLessThan(15)
  })

  it('has only what is used', async () => {
    const code = await bundled(`export { verifyWebhook } from '@posthorn/client'`)
    expect(kilobytes(code)).toBeLessThan(1.5)
    expect(code).not.toContain('/campaigns')
  })

  it('imports nothing', async () => {
    expect(await bundled(`export * from '@posthorn/client'`)).not.toMatch(
      /\bimport\b|\brequire\b|node:|\bprocess\b|\bBuffer\b/,
    )
  })
})

it('the package depends on nothing', () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect([manifest.dependencies, manifest.peerDependencies, manifest.sideEffects]).toEqual([
    undefined,
    undefined,
    false,
  ])
})
