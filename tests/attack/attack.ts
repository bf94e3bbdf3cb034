import { setTimeout as sleep } from 'node:timers/promises'
import { asTenant, client } from './client.js'
import type { Scene, Stage } from './scene.js'
import { allScenes } from './scenes/index.js'
import { fileFor, type Machine, startTarget, type Target } from './target.js'
import { startWitness } from './witness.js'

export type AttackOptions = {
  /** Fewer and smaller requests, and memory is not looked at: for the tests. */
  readonly small: boolean
  /** The checkout whose built server is attacked. */
  readonly checkout: string
  /** Only the scenes with one of these in their names. */
  readonly only?: readonly string[] | undefined
  /** Hears of every scene when it is over. */
  readonly said: (line: string) => void
}

export type Result = {
  readonly name: string
  /** Milliseconds that another tenant waited at most. */
  readonly longest: number
  /** Megabytes by which the server's memory has grown, where that was measured. */
  readonly grown: number | undefined
  /** What the machine did to the server's main thread meanwhile. */
  readonly machine: Machine
  /** What did not hold, beside waiting and memory. */
  readonly broken: readonly string[]
}

/** Milliseconds that another tenant's request may wait, and megabytes that may stay, whatever the attack (docs/security.md). */
export const longestWait = 250
export const mostGrowth = 100

/** All that did not hold. */
export const failuresOf = ({ longest, grown, broken }: Result): readonly string[] => [
  ...broken,
  ...(longest > longestWait ? [`somebody else waited ${Math.round(longest)} ms`] : []),
  ...(grown && grown > mostGrowth ? [`${Math.round(grown)} MB stayed`] : []),
]

const csv = (contacts: number) =>
  [
    'email,name,city',
    ...Array.from({ length: contacts }, (_, n) => `reader${n}@example.com,Reader ${n},City ${n % 500}`),
  ].join('\n')

const visual = {
  name: 'Warm',
  subject: 'Warm',
  document: { tagName: 'mjml', children: [{ tagName: 'mj-body', children: [] }] },
}

/** Has a process do its first work, so that what it takes is in the memory that an attack begins with. */
const warmUp = async (tenant: Stage['asAttacker']) => {
  const transactionalId = await tenant.made('/transactional-emails', visual)
  await tenant.post('/send-transactional', { transactionalId, email: 'reader@example.com' })
}

const setUp = async (target: Target, size: Stage['size']): Promise<Omit<Stage, 'memoryHeld'>> => {
  const http = client(target.base)
  const [attacker, victim] = await Promise.all([target.tenant('Attacker'), target.tenant('Victim')])
  const [asAttacker, asVictim] = [asTenant(http, attacker), asTenant(http, victim)]
  for (const one of [asAttacker, asVictim])
    await one.made('/sender-identities', { email: 'post@sender.example', name: 'Post', region: 'eu-west-1' })
  await asAttacker.post('/contacts/fields', { name: 'city', type: 'string' })
  const listId = await asAttacker.made('/subscriber-lists', { name: 'Readers' })
  await Promise.all([warmUp(asAttacker), warmUp(asVictim)])
  const people = fileFor(target, 'people.csv', csv(size(100_000, 3_000)))
  await target.command('contacts', 'import', people, '--list', listId, '--project', attacker.projectId)
  return { target, client: http, attacker, asAttacker, listId, victim, asVictim, size }
}

const serverErrors = ({ statuses }: Stage['client']): number =>
  [...statuses].reduce((sum, [status, times]) => sum + (status >= 500 ? times : 0), 0)

const hangs = 'the server died, or hangs'

/** After so many seconds an attack is given up, and the server that it was made on is replaced. */
const patience = 120

const within = async <T>(seconds: number, work: Promise<T>): Promise<T | undefined> => {
  const given = new AbortController()
  const over = sleep(seconds * 1000, undefined, { signal: given.signal }).catch(() => undefined)
  const first = await Promise.race([work, over])
  given.abort()
  return first
}

/** A server with its two tenants, and the witness of what the second of them sees. */
const opened = async (checkout: string, size: Stage['size'], { openFiles, settings }: Scene) => {
  const target = await startTarget(checkout, { openFiles, settings })
  const set = await setUp(target, size)
  const witness = startWitness(target.base, set.victim)
  const stage: Stage = { ...set, memoryHeld: () => witness.unobserved(target.memory) }
  return {
    settings,
    stage,
    witness,
    openFiles,
    close: async () => {
      await witness.stop()
      stage.client.close()
      await target.stop()
    },
  }
}
type Opened = Awaited<ReturnType<typeof opened>>

/** Threads that rest are ended after a minute. In seconds. */
const memoryIsGivenBackAfter = 75

/** Says by how many megabytes the memory has grown since, looking again later where it has grown by much. */
const memoryWatch = async ({ memory }: Target) => {
  const before = await memory()
  return async (): Promise<number> => {
    const grown = (await memory()) - before
    if (grown <= mostGrowth) return grown
    await sleep(memoryIsGivenBackAfter * 1000)
    return (await memory()) - before
  }
}

const play = async (
  { stage, witness }: Opened,
  { name, run }: Scene,
  { small }: Pick<AttackOptions, 'small'>,
): Promise<Result> => {
  const { target } = stage
  const growth = small ? undefined : await memoryWatch(target)
  const failed = serverErrors(stage.client)
  await witness.report()
  const before = target.machine()
  const ended = run(stage).catch((error: unknown) => [String(error).slice(0, 300)])
  const gotThrough = (await within(patience, ended)) ?? [`not over after ${patience} seconds`]
  const { longest, asked, failed: unanswered } = await witness.report()
  const after = target.alive() ? target.machine() : before
  const living = target.alive() && (await within(30, stage.asVictim.get('')))
  const grown = living ? await growth?.() : undefined
  const answered5xx = serverErrors(stage.client) - failed
  return {
    name,
    longest,
    grown,
    machine: { waited: after.waited - before.waited, pagesRead: after.pagesRead - before.pagesRead },
    broken: [
      ...gotThrough,
      ...(living ? [] : [hangs]),
      ...(unanswered > 0 ? [`${unanswered} of somebody else’s ${asked} requests failed`] : []),
      ...(answered5xx > 0 ? [`${answered5xx} answers were 5xx`] : []),
    ],
  }
}

const line = (result: Result): string => {
  const failed = failuresOf(result)
  const { name, longest, grown = 0, machine } = result
  const { waited, pagesRead } = machine
  const outcome = failed.length === 0 ? 'held ' : 'BROKE'
  return [
    `${outcome} ${Math.round(longest)} ms, ${Math.round(grown)} MB: ${name}`,
    ...failed.map((one) => `        ${one}`),
    ...(failed.length > 0
      ? [
          `        meanwhile its main thread waited ${Math.round(waited)} ms for a processor and read ${pagesRead} pages from the disk`,
        ]
      : []),
  ].join('\n')
}

/** Attacks the built server of a checkout, scene by scene, and says what each did to others and what of it got through. */
export const attack = async ({ small, checkout, only, said }: AttackOptions): Promise<readonly Result[]> => {
  const size: Stage['size'] = (whole, little) => (small ? little : whole)
  const results: Result[] = []
  let server: Opened | undefined
  try {
    for (const scene of allScenes(size).filter(({ name }) => !only || only.some((part) => name.includes(part)))) {
      if (server && (server.openFiles !== scene.openFiles || server.settings !== scene.settings)) {
        await server.close()
        server = undefined
      }
      server ??= await opened(checkout, size, scene)
      const result = await play(server, scene, { small })
      results.push(result)
      said(line(result))
      if (server.stage.target.alive() && !result.broken.includes(hangs)) continue
      await server.close()
      server = undefined
    }
  } finally {
    await server?.close()
  }
  return results
}
