import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))
const guide = readFileSync(new URL('../../../docs/ses.md', import.meta.url), 'utf8')

it('calls nothing that the guide’s policy does not allow, which allows nothing else', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const text = files.map((name) => readFileSync(join(source, name), 'utf8')).join('\n')
  const called = [...text.matchAll(/new (\w+)Command\(/g)].map(([, name]) => `ses:${name}`)
  // Raw content and tags have actions of their own.
  const needed = new Set([...called, 'ses:SendRawEmail', 'ses:TagResource'])
  const allowed = [...guide.matchAll(/"(ses:\w+)"/g)].map(([, name]) => name)
  expect(new Set(allowed)).toEqual(needed)
})
