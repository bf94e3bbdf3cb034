import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as kit from '../src/index.js'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

describe('the README', () => {
  it('shows the tests of the examples as they run', () => {
    const folder = join(import.meta.dirname, 'examples')
    const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, text]) => text)
    expect(new Set(blocks)).toEqual(
      new Set(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))),
    )
  })

  it('names every script of the mailer', () => {
    const scripts = Object.keys(kit).filter((name) => /MailerScript/i.test(name))
    expect(scripts.filter((name) => !readme.includes(`\`${name}(`))).toEqual([])
  })
})
