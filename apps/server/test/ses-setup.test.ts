import { type LocalSes, localSes } from '@posthorn/local-aws'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { commandsIn } from './terminal.js'

const region = 'eu-west-1'
const topicArn = `arn:aws:sns:${region}:123456789012:posthorn`
const publicUrl = 'http://127.0.0.1:9/mail'
const data = temporaryDirectory()

let ses: LocalSes
beforeEach(async () => {
  ses = await localSes()
  ses.region(region).identities.verify('example.com', true)
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL: ses.url,
    AWS_ACCESS_KEY_ID: 'AKIDLOCAL',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }))
    vi.stubEnv(name, value)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await ses.close()
  data.remove()
})

const run = (args: readonly string[], answer?: string) => {
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return answer ?? ''
  }
  const command = commandsIn(data.path, { POSTHORN_PUBLIC_URL: publicUrl }, answer === undefined ? undefined : ask)
  return command('ses', 'setup', '--region', region, ...args).then((ended) => ({ ...ended, asked }))
}
const made = () => [
  ...ses.own.topics.keys(),
  ...ses.region(region).configurationSets.names(),
  ...ses.own.policies.keys(),
]
const policy = () =>
  JSON.parse(ses.own.policies.get('arn:aws:iam::123456789012:policy/posthorn-server')?.at(-1) ?? '{}')

describe('posthorn ses setup', () => {
  it('only shows its plan with --dry-run', async () => {
    const { code, stdout, stderr } = await run(['--dry-run', '--queue'])
    expect([code, stdout]).toEqual([0, '5 of 5 are to be made; nothing was.\n'])
    for (const words of [
      'the topic posthorn',
      'configuration set posthorn',
      'queue posthorn',
      'policy posthorn-server',
    ])
      expect(stderr).toMatch(new RegExp(`\\+ there will be .*${words}`))
    expect(made()).toEqual([])
  })

  it('asks first, and creates nothing without a yes or a terminal', async () => {
    const refused = await run(['--queue'], 'n')
    expect([refused.code, refused.stderr.includes('Nothing was made.')]).toEqual([1, true])
    expect(refused.asked).toEqual(['Create the missing resources in the account 123456789012? [y/N] '])
    const unasked = await run(['--queue'])
    expect([unasked.code, unasked.stderr.includes('--yes')]).toEqual([1, true])
    expect(made()).toEqual([])
  })

  it('creates everything, and sees the events of test mails arrive', async () => {
    const { code, stdout, stderr } = await run(['--queue', '--from', 'news@example.com'], 'yes')
    expect([code, stdout]).toEqual([0, 'All is there, and the events of test mails arrive.\n'])
    expect(made()).toEqual([topicArn, 'posthorn', 'arn:aws:iam::123456789012:policy/posthorn-server'])
    for (const event of ['Send', 'Bounce', 'Complaint'])
      expect(stderr).toContain(`The ${event} event of a test mail has come.`)
    expect(stderr).toContain(`POSTHORN_SES_TOPIC_ARN=${topicArn}`)
    expect(stderr).toContain(`POSTHORN_SES_EVENTS_QUEUE=${ses.url}/123456789012/posthorn`)
    expect(ses.sent.map(({ to, configurationSet }) => [to[0], configurationSet])).toEqual(
      ['success', 'bounce', 'complaint'].map((name) => [`${name}@simulator.amazonses.com`, 'posthorn']),
    )
    expect([...ses.own.queues.values()].map(({ name }) => name)).toEqual(['posthorn'])
    expect(ses.sns.subscriptions(topicArn)).toHaveLength(1)
    const statements = policy().Statement as readonly { readonly Action: unknown; readonly Resource: string }[]
    expect(statements.map(({ Resource }) => Resource)).toEqual([
      '*',
      'arn:aws:iam::*:role/*',
      topicArn,
      `arn:aws:sqs:${region}:123456789012:posthorn`,
    ])
  })

  it('completes an interrupted setup, and then finds everything in place', async () => {
    let calls = 0
    ses.failWith(() => {
      calls += 1
      return calls > 12 ? 'break-before' : undefined
    })
    expect((await run(['--queue', '--yes'])).code).toBe(1)
    ses.failWith(() => undefined)
    expect((await run(['--queue', '--yes'])).code).toBe(0)
    const again = await run(['--queue'])
    expect([again.code, again.stderr.includes('there will be')]).toEqual([0, false])
  }, 60_000)

  it('updates a policy that covers less', async () => {
    await run(['--queue', '--yes', '--name', 'other'])
    await run(['--queue', '--yes'])
    expect(policy().Statement.at(-1).Resource).toBe(`arn:aws:sqs:${region}:123456789012:posthorn`)
  })

  it('reports an unconfirmed subscription, and the variables that the server needs', async () => {
    const { code, stderr } = await run(['--yes', '--wait', '1'])
    expect(code).toBe(1)
    expect(stderr).toContain(`POSTHORN_SES_TOPIC_ARN=${topicArn}`)
    expect(stderr).toContain('was not confirmed in 1 seconds')
  })

  it('names the missing events', async () => {
    await run(['--queue', '--yes'])
    ses.region(region).configurationSets.removeDestination('posthorn', 'posthorn')
    const { code, stderr } = await run(['--queue', '--yes', '--wait', '2', '--from', 'x@example.com'])
    expect([code, stderr.includes('The Bounce event')]).toEqual([0, true])
    const unverified = await run(['--queue', '--yes', '--from', 'x@unknown.example'])
    expect([unverified.code, unverified.stderr.includes('MessageRejected')]).toEqual([1, true])
  })

  it('explains rejected credentials and missing configuration', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAUNKNOWN')
    expect((await run(['--queue'])).stderr).toContain('Check AWS_ACCESS_KEY_ID')
    const nowhere = commandsIn(data.path)
    expect((await nowhere('ses', 'setup')).stderr).toContain('--region')
    expect((await nowhere('ses', 'setup', '--region', region)).stderr).toContain('POSTHORN_PUBLIC_URL')
  })
})

it('doctor reports how SES events arrive, and what to do if they do not', async () => {
  const environment = {
    POSTHORN_MAILER: 'ses',
    POSTHORN_PUBLIC_URL: publicUrl,
    POSTHORN_SES_REGION: region,
    POSTHORN_SES_TOPIC_ARN: topicArn,
    POSTHORN_SES_CONFIGURATION_SET: 'posthorn',
    POSTHORN_SES_EVENTS_QUEUE: `${ses.url}/123456789012/posthorn`,
    PORT: '0',
  }
  const doctor = async () => (await commandsIn(data.path, environment)('doctor')).stdout
  const before = await doctor()
  expect(before).toMatch(/✗ events published: .*publishes nothing.* → npm run posthorn -- ses setup/)
  expect(before).toMatch(/✗ events received: the queue posthorn is not subscribed/)
  await run(['--queue', '--yes'])
  const after = await doctor()
  expect(after).toMatch(/✓ events published: .*SEND, BOUNCE, COMPLAINT/)
  expect(after).toMatch(/✓ events received: the queue posthorn is subscribed to the topic/)
})
