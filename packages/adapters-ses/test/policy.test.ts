import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { serverIamPolicy } from '../src/setup/policies.js'

const source = fileURLToPath(new URL('../src', import.meta.url))

it('the server’s policy allows exactly the actions that the code calls', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const services: Readonly<Record<string, string>> = { sesv2: 'ses' }
  const called = files
    // What is asked of projects’ own accounts is their owners’ to allow.
    .filter((name) => !name.startsWith('setup') && !name.includes('own-events'))
    .flatMap((name) => {
      const text = readFileSync(join(source, name), 'utf8')
      const [, client = ''] = /'@aws-sdk\/client-(\w+)'/.exec(text) ?? []
      return [...text.matchAll(/new (\w+)Command\(/g)].map(([, verb]) => `${services[client] ?? client}:${verb}`)
    })
  // A batch is allowed as what it is a batch of. Raw content and tags have actions of their own.
  const needed = new Set([...called.map((name) => name.replace(/Batch$/, '')), 'ses:SendRawEmail', 'ses:TagResource'])
  // STS requires no permission for it (AWS STS API reference, "GetCallerIdentity").
  needed.delete('sts:GetCallerIdentity')
  const doctors = ['events-check.ts', 'setup-steps.ts']
    .map((name) => readFileSync(join(source, 'setup', name), 'utf8'))
    .join()
  const allowed = serverIamPolicy(
    'arn:aws:sns:eu-west-1:123456789012:t',
    'arn:aws:sqs:eu-west-1:123456789012:q',
  ).Statement.flatMap(({ Action }) => Action)
  const beside = allowed.filter((action) => !needed.has(action))
  for (const action of beside) expect(doctors).toContain(`new ${action.split(':')[1]}Command(`)
  for (const action of beside) expect(action).toMatch(/:(Get|List)/)
  expect(allowed).toEqual(expect.arrayContaining([...needed]))
})
