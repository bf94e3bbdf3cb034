import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))
const guide = readFileSync(new URL('../../../docs/ses.md', import.meta.url), 'utf8')

it('calls nothing that the guide’s policy does not allow, which allows nothing else', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const services: Readonly<Record<string, string>> = { sesv2: 'ses' }
  const called = files
    .filter((name) => !name.startsWith('setup'))
    .flatMap((name) => {
      const text = readFileSync(join(source, name), 'utf8')
      const [, client = ''] = /'@aws-sdk\/client-(\w+)'/.exec(text) ?? []
      return [...text.matchAll(/new (\w+)Command\(/g)].map(([, verb]) => `${services[client] ?? client}:${verb}`)
    })
  // A batch is allowed as what it is a batch of. Raw content and tags have actions of their own.
  const needed = new Set([...called.map((name) => name.replace(/Batch$/, '')), 'ses:SendRawEmail', 'ses:TagResource'])
  const allowed = [...guide.matchAll(/"((?:ses|sts|sqs):\w+)"/g)].map(([, name]) => name)
  expect(new Set(allowed)).toEqual(needed)
})
