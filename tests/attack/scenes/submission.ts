import { rest, type Scene, type Stage, unless } from '../scene.js'
import { type Smtp, smtp } from '../smtp.js'
import type { Tenant } from '../target.js'

/** Another address of loopback for each: strangers are told apart by their addresses. */
const callerOf = (n: number) => `127.1.${1 + (Math.floor(n / 250) % 250)}.${1 + (n % 250)}`

const sender = 'hello@sender.example'

const credentials = ({ projectId, key }: Pick<Tenant, 'projectId' | 'key'>) =>
  Buffer.from(`\0${projectId}\0${key}`).toString('base64')

const greeted = async ({ target }: Stage, caller: number): Promise<Smtp> => {
  const one = smtp(target.submissionPort, callerOf(caller))
  await one.heard(1)
  await one.say('EHLO client.example')
  return one
}

/** A connection of the attacker that is signed in and stands before DATA's text. */
const beforeText = async (stage: Stage, caller: number, to: readonly string[] = ['a@b.example']): Promise<Smtp> => {
  const one = await greeted(stage, caller)
  for (const line of [
    `AUTH PLAIN ${credentials(stage.attacker)}`,
    `MAIL FROM:<${sender}>`,
    ...to.map((address) => `RCPT TO:<${address}>`),
    'DATA',
  ])
    await one.say(line)
  return one
}

const submitted = async (stage: Stage, caller: number, message: string): Promise<string> => {
  const one = await beforeText(stage, caller)
  await one.write(message)
  const reply = await one.say('\r\n.')
  one.end()
  return reply
}

/** Whether the other tenant gets a mail in, within so many tries: a place may be free only now and then. */
const victimSends = async (stage: Stage, caller: number, tries: number): Promise<string> => {
  let last = ''
  for (let n = 0; n < tries; n += 1) {
    const one = await greeted(stage, caller)
    await one.say(`AUTH PLAIN ${credentials(stage.victim)}`)
    await one.say(`MAIL FROM:<${sender}>`)
    await one.say('RCPT TO:<reader@b.example>')
    await one.say('DATA')
    last = await one.say('Subject: Receipt\r\n\r\nPaid\r\n.')
    one.end()
    if (last.startsWith('250')) return last
    await rest(500)
  }
  return last
}

/** Both tenants have the sender; the victim must still send afterwards. */
const scene = (name: string, run: Scene['run']): Scene => ({
  name: `the submission port, with ${name}`,
  run: async (stage) => {
    const { target, attacker, victim } = stage
    for (const { projectId } of [attacker, victim])
      await target.command('sender', 'create', sender, '--project', projectId).catch(() => undefined)
    const broken = await run(stage)
    const reply = await victimSends(stage, 9_999, 30)
    return [...broken, ...unless(reply.startsWith('250'), `the other tenant’s mail was answered “${reply}”`)]
  },
})

const multipart = (inner: string, boundary: string) =>
  `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n${inner}\r\n--${boundary}--\r\n`

const nested = (levels: number): string =>
  Array.from({ length: levels }).reduce<string>(
    (inner, _, n) => multipart(inner, `b${n}b`),
    'Content-Type: text/plain\r\n\r\na',
  )

export const submissionScenes: readonly Scene[] = [
  scene('2,000 connections that say nothing', async (stage) => {
    const open: Smtp[] = []
    const most = stage.size(2_000, 300)
    for (let n = 0; n < most; n += 1) {
      open.push(smtp(stage.target.submissionPort, callerOf(n)))
      if (n % 100 === 99) await rest(100)
    }
    const held = await stage.memoryHeld()
    const reply = await victimSends(stage, 9_998, 20)
    for (const one of open) one.end()
    return [
      ...unless(held < 500, `the server held ${Math.round(held)} MB`),
      ...unless(reply.startsWith('250'), `meanwhile the other tenant’s mail was answered “${reply}”`),
    ]
  }),
  scene('a guesser of keys', async (stage) => {
    const replies = new Set<string>()
    let judged = 0
    for (let n = 0; n < stage.size(300, 40); n += 1) {
      const one = await greeted(stage, 7)
      const reply = await one.say(
        `AUTH PLAIN ${credentials({ projectId: stage.victim.projectId, key: `ph_guess_${n}_xxxxxxxxxxxxxxxx` })}`,
      )
      one.end()
      replies.add(reply.slice(0, 3))
      if (reply.startsWith('535')) judged += 1
    }
    return [
      ...unless(!replies.has('235'), 'a guess was right'),
      ...unless(judged <= 60, `${judged} guesses of one address were judged`),
    ]
  }),
  scene('giant headers', async (stage) => {
    const replies = [
      await submitted(stage, 20, `${'X-A: b\r\n'.repeat(stage.size(3_000_000, 300_000))}\r\na`),
      await submitted(stage, 20, `Subject: ${'a'.repeat(stage.size(30_000_000, 1_000_000))}\r\n\r\na`),
      await submitted(stage, 20, `Subject: ${'=?utf-8?q?=?= '.repeat(8_000)}\r\n\r\na`),
      await submitted(stage, 20, `From: ${'a:'.repeat(60_000)}\r\nSubject: a\r\n\r\na`),
      await submitted(stage, 20, `Content-Type: text/plain; ${';a="'.repeat(30_000)}\r\nSubject: a\r\n\r\na`),
    ]
    return replies.flatMap((reply, n) => unless(/^[45]/.test(reply) || n === 4, `header ${n} was answered “${reply}”`))
  }),
  scene('100,000 parts, and parts in parts', async (stage) => {
    const many = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\na\r\n'.repeat(stage.size(100_000, 20_000))}--b--`
    const lookalikes = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b x\r\n'.repeat(stage.size(3_000_000, 200_000))}--b--`
    const lines = `Subject: a\r\n\r\n${'a\r\n'.repeat(stage.size(10_000_000, 1_000_000))}`
    const replies = [
      await submitted(stage, 21, many),
      await submitted(stage, 21, nested(1_000)),
      await submitted(stage, 21, lookalikes),
      await submitted(stage, 21, lines),
    ]
    return replies.flatMap((reply, n) => unless(reply.startsWith('554'), `message ${n} was answered “${reply}”`))
  }),
  scene('smuggled mails', async (stage) => {
    const broken: string[] = []
    for (const end of ['\n.\n', '\r\n.\n', '\n.\r\n', '\r.\r', '\r\n.\r', '\r.\r\n', '\r\n\0.\r\n']) {
      const one = await beforeText(stage, 22)
      const before = one.replies().length
      await one.write(
        `Subject: a\r\n\r\nb${end}MAIL FROM:<${sender}>\r\nRCPT TO:<c@b.example>\r\nDATA\r\nSubject: b\r\n\r\nc`,
      )
      await one.say('\r\n.')
      if (one.replies().length !== before + 1) broken.push(`${JSON.stringify(end)} ended a mail`)
      one.end()
    }
    return broken
  }),
  scene('a flood of recipients', async (stage) => {
    const one = await beforeText(stage, 23, [])
    await one.say(`MAIL FROM:<${sender}>`)
    const most = stage.size(20_000, 2_000)
    let taken = 0
    for (let n = 0; n < most && !one.isOver(); n += 200) {
      const before = one.replies().length
      await one.write(Array.from({ length: 200 }, (_, k) => `RCPT TO:<r${n + k}@b.example>\r\n`).join(''))
      await one.heard(before + 200)
    }
    taken = one.replies().filter((reply) => reply === '250 Accepted').length
    one.end()
    return unless(taken <= 52, `${taken} recipients of one mail were taken`)
  }),
  scene('messages that arrive slowly', async (stage) => {
    const open = await Promise.all(Array.from({ length: 25 }, (_, n) => beforeText(stage, 100 + n)))
    for (let n = 0; n < 70; n += 1) {
      await Promise.all(open.map((one) => one.write('a\r\n')))
      await rest(1_000)
      if (open.every((one) => one.isOver())) break
    }
    const left = open.filter((one) => !one.isOver()).length
    for (const one of open) one.end()
    return unless(left === 0, `${left} of ${open.length} connections were still open after 70 s`)
  }),
]
