import { z } from 'zod'
import { without } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock } from '../kernel/ports.js'
import { forbidden } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Permission } from '../kernel/scope.js'
import { headerTextSchema } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { type AuditLog, personAuthor } from './audit.js'
import type { OperatorReadOnlyView, Session, SignedInPerson } from './person.js'
import type { OpenedSession } from './sessions.js'

/** No changes, no file with addresses, and no settings, which contain keys. */
export const readOnlyViewPermissions: readonly Permission[] = ['project.read', 'figures.read', 'addresses.read']

/** In ms. */
const viewAge = 60 * 60_000

export const ReadOnlyViewFields = z.strictObject({
  reason: headerTextSchema(500)
    .trim()
    .min(1)
    .meta({ description: 'Why; the people of the project read it in their audit log' }),
})

/** Only while its person is an operator. */
export const currentReadOnlyView = ({ person, view }: SignedInPerson, now: Date): OperatorReadOnlyView | undefined =>
  view && person.operator && view.until > now.toISOString() ? view : undefined

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; sessions: Session }>
  readonly clock: Clock
  readonly audit: Pick<AuditLog, 'record'>
}

/** Recorded in the project's audit log. Ends with the session, or after an hour. */
export const operatorReadOnlyViews = ({ repositories: { projects, sessions }, clock, audit }: Deps) => {
  const set = (sessionId: string, view: OperatorReadOnlyView | undefined) =>
    sessions.change({ _id: sessionId }, (session) => ({
      ...(without(session, 'view') as Session),
      ...(view && { view }),
    }))

  const end = async (opened: OpenedSession): Promise<void> => {
    const { person, sessionId } = opened
    const view = currentReadOnlyView(opened, clock())
    await set(sessionId, undefined)
    if (view) await audit.record(personAuthor(person), { action: 'endReadOnlyView', ...view, record: view.projectId })
  }

  return {
    /** Of one project at a time. @throws Refusal `forbidden`, `not-found`, `invalid` */
    beginView: async (
      opened: OpenedSession,
      projectId: string,
      input: z.input<typeof ReadOnlyViewFields>,
    ): Promise<OperatorReadOnlyView> => {
      const { reason } = parsed(ReadOnlyViewFields, input)
      const { person, sessionId } = opened
      if (!person.operator) throw forbidden('Only for operators of this installation.')
      await getOrNotFound(projects, { _id: projectId })
      await end(opened)
      const view = { projectId, until: new Date(clock().getTime() + viewAge).toISOString() }
      await audit.record(personAuthor(person), {
        action: 'beginReadOnlyView',
        projectId,
        record: projectId,
        after: { reason, ...view },
      })
      await set(sessionId, view)
      return view
    },

    endView: end,
  }
}
