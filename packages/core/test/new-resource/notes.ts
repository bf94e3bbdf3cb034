import { parsed } from '../../src/kernel/parsed.js'
import type { Runtime } from '../../src/kernel/ports.js'
import { projectResource, updated } from '../../src/kernel/project-resource.js'
import type { RepositoriesFor } from '../../src/kernel/repository.js'
import type { Scope } from '../../src/kernel/scope.js'
import { stamps } from '../../src/kernel/shapes.js'
import { type Note, NoteChanges, NoteFields, NoteView } from './note.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & { readonly repositories: RepositoriesFor<{ notes: Note }> }

export const noteUseCases = ({ repositories: { notes }, clock, newId }: Deps) => {
  const { list, get, remove, show, change } = projectResource(notes, NoteView)

  return {
    list,
    get,
    remove,

    /** @throws Refusal `invalid` */
    create: async ({ projectId, requestId }: Scope, input: NoteFields): Promise<NoteView> => {
      const fields = parsed(NoteFields, input)
      const note: Note = { _id: requestId ?? newId(), projectId, ...fields, ...stamps(clock().toISOString()) }
      await notes.add(note)
      return show(note)
    },

    /** @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: NoteChanges): Promise<NoteView> => {
      const changes = parsed(NoteChanges, input)
      const now = clock().toISOString()
      return change(scope, id, (note) => updated(note, changes, now))
    },
  }
}
