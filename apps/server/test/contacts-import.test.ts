import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCore } from '@posthorn/core'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterAll, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import type { CommandContext } from '../src/cli/command-context.js'
import { importContactsFile } from '../src/cli/contacts-import.js'

const directory = temporaryDirectory()
afterAll(() => directory.remove())

it('an import whose store fails exits with 75, rejects no row for it, and continues when repeated', async () => {
  const { ports } = inMemoryPorts()
  let isDown = false
  const membershipStore: typeof ports.membershipStore = {
    ...ports.membershipStore,
    upsertMembers: async (upserts) => {
      isDown ||= upserts.some(({ contact }) => contact?.email === 'p2500@example.com')
      if (isDown) return upserts.map(() => new StoreUnavailable(new Error('too slow')))
      return ports.membershipStore.upsertMembers(upserts)
    },
  }
  const core = createCore({ ...ports, membershipStore, sleep: async () => {} })
  const { project } = await sampleProject(core)
  const results: unknown[] = []
  const notes: string[] = []
  const output = {
    result: (value: unknown) => void results.push(value),
    note: (text: string) => void notes.push(text),
    progress: () => undefined,
  }
  const context = { core, ports, repositories: ports.repositories, output } as unknown as CommandContext
  const file = join(directory.path, 'people.csv')
  const source = { file, name: file, close: () => {} }
  writeFileSync(file, `email\n${Array.from({ length: 3000 }, (_, n) => `p${n}@example.com`).join('\n')}\n`)

  await expect(importContactsFile(context, source, { project: project._id })).rejects.toMatchObject({
    name: 'CommandFailure',
    exitCode: 75,
    message: expect.stringMatching(
      /^The import stopped at line 2002 because the store failed: .*\nRun the same command again/,
    ),
  })
  expect([results, existsSync(`${file}.errors.csv`)]).toEqual([[], false])

  membershipStore.upsertMembers = (upserts) => ports.membershipStore.upsertMembers(upserts)
  isDown = false
  const working = { ...context, core: createCore(ports) }
  await importContactsFile(working, source, { project: project._id })
  expect(notes).toEqual(['Going on after line 2001'])
  expect(results).toEqual([{ created: 3000, updated: 0, unchanged: 0, failed: 0 }])
})
