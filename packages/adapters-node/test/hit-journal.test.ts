import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hitJournal } from '../src/hit-journal.js'

let directory = ''
const open: ReturnType<typeof hitJournal>[] = []
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'posthorn-')), 'hits')
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  rmSync(join(directory, '..'), { recursive: true, force: true })
})

const journal = (options: { readonly maxBytes?: number; readonly fileBytes?: number } = {}) => {
  const one = hitJournal({ directory, ...options })
  open.push(one)
  return one
}
const entry = (n: number) => ({ name: n.toString(16).padStart(24, '0'), text: JSON.stringify({ n, ä: '\n' }) })
const files = (end = '.hits') => readdirSync(directory).filter((name) => name.endsWith(end))

/** No process has it. */
const nobody = 9_999_999
/** Makes the files of the process that has them those of another, whose heart last beat so many seconds ago. */
const leave = ({ pid = nobody, host = hostname(), secondsAgo = 10 } = {}) => {
  const owner = `${host}~${pid}~0123abcd`
  const at = Date.now() / 1000 - secondsAgo
  for (const name of files('')) {
    const end = name.slice(name.indexOf('.', name.lastIndexOf('~')))
    writeFileSync(join(directory, `${owner}${end}`), readFileSync(join(directory, name)))
    utimesSync(join(directory, `${owner}${end}`), at, at)
    rmSync(join(directory, name))
  }
  return join(directory, `${owner}.1.hits`)
}

/** Everything that is left, of one file after another. */
const everything = async (one = journal()) => {
  const all: Awaited<ReturnType<typeof one.takeOver>>[number][] = []
  for (;;) {
    const some = await one.takeOver()
    if (some.length === 0) return all
    all.push(...some)
  }
}

describe('a hit journal', () => {
  it('has entries at once, and gives them to the next process after its own ends', async () => {
    const first = journal()
    for (const n of [1, 2, 3]) first.add(entry(n))
    first.done([entry(2).name])
    leave()
    expect(await everything()).toEqual([1, 2, 3].map((n) => ({ ...entry(n), isDone: n === 2 })))
    expect(await everything()).toEqual([])
  })

  it('is readable only by its owner, and has no files without entries', async () => {
    expect(await journal().takeOver()).toEqual([])
    await journal().close()
    expect(() => readdirSync(directory)).toThrow('ENOENT')
    journal().add(entry(1))
    expect(statSync(directory).mode & 0o077).toBe(0)
    for (const name of files('')) expect(statSync(join(directory, name)).mode & 0o077).toBe(0)
  })

  it('is taken over by one of several concurrent processes', async () => {
    const first = journal({ fileBytes: 200 })
    for (let n = 0; n < 40; n += 1) first.add(entry(n))
    expect(files().length).toBeGreaterThan(5)
    leave()
    const all = await Promise.all([everything(), everything(), everything()])
    expect(
      all
        .flat()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...Array(40).keys()].map((n) => entry(n).name))
  })

  it('is taken over again if the second process ends, too', async () => {
    journal().add(entry(1))
    leave()
    const second = journal()
    expect(await everything(second)).toHaveLength(1)
    second.add(entry(2))
    second.done([entry(1).name])
    leave()
    expect(await everything()).toEqual([{ ...entry(2), isDone: false }, ...[]])
  })

  it('skips a half-written line, and continues after it', async () => {
    const first = journal()
    for (const n of [1, 4]) first.add(entry(n))
    const file = leave()
    appendFileSync(file, `+${entry(2).name} {"n":`)
    const second = journal()
    expect(await everything(second)).toEqual([1, 4].map((n) => ({ ...entry(n), isDone: false })))
    second.done([entry(1).name])
    second.add(entry(3))
    leave()
    expect(await everything()).toEqual([
      { ...entry(1), isDone: true },
      { ...entry(4), isDone: false },
      { ...entry(3), isDone: false },
    ])
  })

  it.each([
    ['is taken over or not: of a process that is there', { pid: process.ppid, secondsAgo: 20 }, 0],
    [
      'is taken over or not: of a process that is there and was silent for half a minute',
      { pid: process.ppid, secondsAgo: 40 },
      1,
    ],
    ['is taken over or not: of another machine', { host: 'another', secondsAgo: 20 }, 0],
    [
      'is taken over or not: of another machine that was silent for half a minute',
      { host: 'another', secondsAgo: 40 },
      1,
    ],
    ['is taken over or not: of a process that has only just ended', { secondsAgo: 1 }, 0],
    ['is taken over or not: of a process that has ended', { secondsAgo: 5 }, 1],
    [
      'is taken over or not: of an earlier process of that number, as in a container',
      { pid: process.pid, secondsAgo: 5 },
      1,
    ],
  ])('in which %s', async (_, whose, n) => {
    journal().add(entry(1))
    leave(whose)
    expect(await everything()).toHaveLength(n)
  })

  it('is limited, including its files', () => {
    const one = journal({ maxBytes: 1_000, fileBytes: 300 })
    let added = 0
    expect(() => {
      for (;;) {
        one.add(entry(added))
        added += 1
      }
    }).toThrow('1000 bytes')
    expect(added).toBeGreaterThan(10)
    expect(one.bytes()).toBeLessThanOrEqual(1_000)
  })

  it('leaves unfinished entries for the next process when closed', async () => {
    const one = journal()
    for (const n of [1, 2]) one.add(entry(n))
    one.done([entry(1).name])
    await one.close()
    expect((await everything()).filter(({ isDone }) => !isDone)).toEqual([{ ...entry(2), isDone: false }])
  })

  it('leaves nothing when closed after all entries are done', async () => {
    const one = journal()
    one.add(entry(1))
    one.done([entry(1).name, 'unknown'])
    await one.close()
    expect(files('')).toEqual([])
  })

  it('starts over if its directory was removed', async () => {
    const one = journal()
    one.add(entry(1))
    rmSync(directory, { recursive: true })
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    one.add(entry(2))
    leave()
    expect(await everything()).toEqual([{ ...entry(2), isDone: false }])
  })

  it('does not touch other files', async () => {
    journal().add(entry(1))
    leave()
    for (const name of ['notes.txt', '~~.1.hits', 'x.hits', '.hits']) writeFileSync(join(directory, name), 'hello')
    expect(await everything()).toHaveLength(1)
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['notes.txt', 'x.hits']))
  })
})
