import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineRecordKind } from '@posthorn/core/ports/storage'
import { countingIds, fixedClock, inMemoryRepository } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { Note } from './note.js'
import { noteUseCases } from './notes.js'

const contributing = readFileSync(join(import.meta.dirname, '../../../../CONTRIBUTING.md'), 'utf8')
const [, section = ''] = /\n## A new resource\n([\s\S]*?)\n## /.exec(contributing) ?? []

describe('the new resource of CONTRIBUTING.md', () => {
  it.each(['note.ts', 'notes.ts'])('shows %s as it runs', (name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll("'../../src/", "'../")
    expect(section).toContain(`\`\`\`ts\n${text}\`\`\``)
  })

  it('is created, read, changed and removed in its project alone', async () => {
    const notes = inMemoryRepository('notes', defineRecordKind<Note>('Note', { index: [['projectId', 'createdAt']] }))
    const clock = fixedClock()
    const { create, get, update, remove, list } = noteUseCases({
      repositories: { notes },
      clock: clock.now,
      newId: countingIds(),
    })
    const [mine, hers] = ['a', 'b'].map((projectId) => ({ projectId, caller: 'api-key' as const }))
    if (!mine || !hers) throw new Error('Two scopes')
    const made = await create(mine, { name: ' Ask Grace ' })
    expect(made).toMatchObject({ name: 'Ask Grace', text: '' })
    expect(made).not.toHaveProperty('projectId')
    clock.advance(1_000)
    expect(await update(mine, made._id, { text: 'Today.' })).toMatchObject({ name: 'Ask Grace', text: 'Today.' })
    await expect(get(hers, made._id)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(create(mine, { name: '' })).rejects.toMatchObject({ kind: 'invalid' })
    await remove(mine, made._id)
    expect(await list(mine, { skip: 0, limit: 10 })).toEqual({ items: [], count: 0 })
  })
})
