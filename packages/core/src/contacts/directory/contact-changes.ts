import { concurrencyLimiter } from '../../kernel/limiter.js'
import { collected } from '../../kernel/listing.js'
import type { Jobs, Runtime } from '../../kernel/ports.js'
import { projectRecordLimit } from '../../kernel/project-limits.js'
import { updated } from '../../kernel/project-resource.js'
import { busy } from '../../kernel/refusal.js'
import { KeyTaken, RecordLimitReached, type RepositoriesFor, refuseIfKeyTaken } from '../../kernel/repository.js'
import { type InProject, stamps } from '../../kernel/shapes.js'
import type { Project } from '../../projects/project.js'
import { groupsWithTagRenamed } from '../../segments/conditions.js'
import type { Segment } from '../../segments/segment.js'
import type { Contact, ContactTag } from '../contact.js'
import { type AllContactsChange, contactAfterChange } from '../contact-change.js'
import type { CustomField } from '../custom-field.js'

type FieldAndTagChangesDeps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    contactChanges: AllContactsChange
    contacts: Contact
    customFields: CustomField
    contactTags: ContactTag
    segments: Segment
    projects: Project
  }>
  readonly jobs: Pick<Jobs, 'at'>
}

type Begun = AllContactsChange extends infer C
  ? C extends AllContactsChange
    ? Omit<C, keyof InProject | 'round' | 'subject'>
    : never
  : never

export const fieldAndTagChangesJobName = 'finish-contact-changes'

const batchSize = 200
/** Per project: every request that reads contacts applies them. */
const mostPending = 100
/** In ms; then maintenance takes over. */
const leftAfter = 60_000

/** Removed or renamed fields and tags take effect at once, as one record; a job updates the contacts. */
export const fieldAndTagChanges = ({ repositories, jobs, clock, newId }: FieldAndTagChangesDeps) => {
  const { contactChanges: changes, contacts, customFields, contactTags, segments, projects } = repositories
  const oneAtATime = concurrencyLimiter({ perOwner: 1 })

  const rename = async (projectId: string, tag: string, replacement: string, now: string): Promise<void> => {
    for await (const { _id } of segments.each({ projectId }))
      await segments.change({ _id }, (one) =>
        updated(one, { groups: groupsWithTagRenamed(one.groups, tag, replacement) }, now),
      )
    await projects.change({ _id: projectId }, (one) => {
      const { groups } = one.unengagedContactSegment
      return updated(one, { unengagedContactSegment: { groups: groupsWithTagRenamed(groups, tag, replacement) } }, now)
    })
  }

  /** All processes reload. */
  const fieldsChanged = async (projectId: string): Promise<void> => {
    await projects.change({ _id: projectId }, (one) => ({ ...one, customFieldsVersion: newId() }))
  }

  /**
   * Also in segments.
   * @throws KeyTaken if the new tag exists
   */
  const applyToNames = async (change: AllContactsChange): Promise<void> => {
    const { projectId } = change
    if (change.kind === 'field-removed') {
      await customFields.remove({ _id: change.fieldId, projectId })
      await fieldsChanged(projectId)
      return
    }
    const { tagId, tag, replacement } = change
    if (replacement === undefined) {
      await contactTags.remove({ _id: tagId, projectId })
      return
    }
    const now = clock().toISOString()
    await contactTags.change({ _id: tagId, projectId }, (one) => updated(one, { value: replacement }, now))
    await rename(projectId, tag, replacement, now)
  }

  /** Unless another process got further; undefined if the change is done. */
  const noted = ({ _id, round }: AllContactsChange, progress: Pick<AllContactsChange, 'round' | 'cursor'>) =>
    changes.change({ _id }, (current) => (current.round === round ? { ...current, ...progress } : current))

  const sweepBatch = async (change: AllContactsChange): Promise<AllContactsChange | undefined> => {
    const { _id, projectId, round } = change
    const where = change.kind === 'tag-replaced' ? { projectId, tags: change.tag } : { projectId }
    const batch = { after: change.cursor, limit: batchSize }
    const cursor = await contacts.changeNext(where, (contact) => contactAfterChange(contact, change), batch)
    if (cursor !== undefined) return noted(change, { round, cursor })
    if (round === 1) return noted(change, { round: 2, cursor: '' })
    await changes.remove({ _id })
    return undefined
  }

  const sweep = async (change: AllContactsChange): Promise<void> => {
    for (let current: AllContactsChange | undefined = change; current; ) current = await sweepBatch(current)
  }

  const carryOut = async (change: AllContactsChange): Promise<void> => {
    await applyToNames(change).catch(async (error: unknown) => {
      if (!(error instanceof KeyTaken) || change.kind !== 'tag-replaced') throw error
      // The other tag was created concurrently: merge the two.
      await contactTags.remove({ _id: change.tagId, projectId: change.projectId })
    })
    await sweep(change)
  }

  const pending = (projectId: string): Promise<readonly AllContactsChange[]> => collected(changes.each({ projectId }))

  const finish = async (projectId: string): Promise<void> => {
    await oneAtATime.run(projectId, async () => {
      for (const change of await pending(projectId)) await carryOut(change)
    })
  }

  /** Finishes all changes if one concerns the name. */
  const free = async (projectId: string, concerned: (change: AllContactsChange) => boolean): Promise<void> => {
    if ((await pending(projectId)).some(concerned)) await finish(projectId)
  }

  return {
    pending,
    finish,
    fieldsChanged,

    /** Call before contacts get these tags. */
    freeTags: async (projectId: string, tags: readonly string[] = []): Promise<void> => {
      if (tags.length > 0) await free(projectId, (one) => one.kind === 'tag-replaced' && tags.includes(one.tag))
    },

    /** Call before creating a field of that name. */
    freeField: (projectId: string, isOfThatName: (name: string) => boolean): Promise<void> =>
      free(projectId, (one) => one.kind === 'field-removed' && isOfThatName(one.name)),

    /**
     * Takes effect when this resolves. @throws KeyTaken if the tag exists, Refusal `busy` while another change of the
     * name is pending
     */
    begin: async (projectId: string, what: Begun): Promise<void> => {
      const now = clock()
      const at = now.toISOString()
      const subject = what.kind === 'field-removed' ? `field ${what.name}` : `tag ${what.tag}`
      const change: AllContactsChange = { _id: newId(), projectId, subject, round: 1, ...what, ...stamps(at) }
      await changes
        .add(change, projectRecordLimit(projectId, mostPending))
        .catch(refuseIfKeyTaken(() => busy(`The ${subject} is being changed already. Please try again.`)))
        .catch((error: unknown) => {
          if (!(error instanceof RecordLimitReached)) throw error
          throw busy(`${mostPending} changes of tags and custom fields are under way. Please try again later.`)
        })
      try {
        await applyToNames(change)
      } catch (error) {
        if (error instanceof KeyTaken) await changes.remove({ _id: change._id })
        throw error
      }
      await jobs.at(now, `contact-change:${change._id}`, { name: fieldAndTagChangesJobName, data: { projectId } })
    },

    /** Finishes changes that other processes left. */
    finishLeft: async (): Promise<void> => {
      const before = new Date(clock().getTime() - leftAfter).toISOString()
      const left = (await collected(changes.each({}))).filter(({ createdAt }) => createdAt <= before)
      for (const projectId of new Set(left.map((one) => one.projectId))) await finish(projectId)
    },
  }
}
export type ChangesOfAllContacts = ReturnType<typeof fieldAndTagChanges>
