import { readFeeds } from '../emails/feeds.js'
import type { FeedReader, PlainText } from '../emails/ports.js'
import { type PreparedEmail, prepareEmail } from '../emails/rendering.js'
import type { Files } from '../kernel/ports.js'
import type { Project } from '../projects/project.js'
import type { Repositories } from '../records.js'
import { loadAttachments } from './attachments.js'
import { type Dispatch, listIdOf } from './dispatch.js'
import { type MailFacts, mailFacts } from './mail-facts.js'
import { restrictionMessage } from './restriction.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'dispatches' | 'contents' | 'projects' | 'subscriberLists'>
  readonly files: Files
  readonly feedReader: FeedReader
  readonly plainText: PlainText
  readonly settings: { readonly publicUrl: string }
}

/** A dispatch with all that its mails are made from. */
export type PreparedDispatch = Pick<MailFacts, 'subject' | 'subjects'> & {
  readonly dispatch: Dispatch
  readonly project: Project
  readonly email: PreparedEmail
}

/** What stands in the way of every mail of a dispatch, for good: a required feed, a template that does not compile. */
export class Unpreparable extends Error {
  override readonly name = 'Unpreparable'
}

const orUnpreparable = async <T>(make: () => T | Promise<T>): Promise<T> => {
  try {
    return await make()
  } catch (error) {
    throw new Unpreparable(error instanceof Error ? error.message : String(error))
  }
}

/** A dispatch may have been stopped since it was prepared, by this process or another. */
function assertGoing(dispatch: Dispatch | undefined): asserts dispatch is Dispatch {
  if (!dispatch) throw new Unpreparable('The dispatch is gone.')
  if (dispatch.stage === 'stopped') throw new Unpreparable(dispatch.errorMessage ?? 'The sending was stopped.')
}

/** A project may have been restricted since it was let send. */
function assertFree(project: Project | undefined): asserts project is Project {
  if (!project) throw new Unpreparable('The project is gone.')
  if (project.restricted) throw new Unpreparable(restrictionMessage(project))
}

const kept = 500

/**
 * Stage 4 of a sending, its once-per-dispatch half: content, feeds and attachments fetched and compiled before the first
 * delivery, and kept for the following ones. What failed is not kept.
 */
export const preparing = ({ repositories, files, feedReader, plainText, settings }: Deps) => {
  const ready = new Map<string, Promise<PreparedDispatch>>()

  const listOf = async ({ audience, projectId }: Dispatch) => {
    const _id = listIdOf(audience)
    return _id === undefined ? undefined : repositories.subscriberLists.get({ _id, projectId })
  }

  const prepare = async (dispatchId: string): Promise<PreparedDispatch> => {
    const dispatch = await repositories.dispatches.get({ _id: dispatchId })
    assertGoing(dispatch)
    const [content, project, list] = await Promise.all([
      repositories.contents.get({ _id: dispatch.contentId }),
      repositories.projects.get({ _id: dispatch.projectId }),
      listOf(dispatch),
    ])
    assertFree(project)
    if (!content) throw new Unpreparable('The content of the dispatch is gone.')
    const [feeds, attachments] = await Promise.all([
      orUnpreparable(() => readFeeds(feedReader, content.email.feeds)),
      loadAttachments(files, dispatch.attachments ?? []),
    ])
    const email = await orUnpreparable(() =>
      prepareEmail({
        content: content.email,
        from: content.from,
        feeds,
        data: dispatch.data ?? {},
        design: content.design,
        attachments,
        plainText,
        kind: dispatch.kind,
        ids: { dispatchId, emailId: dispatch.emailId, projectId: dispatch.projectId, accountId: dispatch.accountId },
        ...(list && { list: { id: list._id, name: list.name } }),
        publicHost: new URL(settings.publicUrl).hostname,
      }),
    )
    return { ...mailFacts(dispatch, content), dispatch, project, email }
  }

  const firstTime = (dispatchId: string): Promise<PreparedDispatch> => {
    const made = prepare(dispatchId)
    ready.set(dispatchId, made)
    made.catch(() => ready.delete(dispatchId))
    const [oldest] = ready.keys()
    if (ready.size > kept && oldest !== undefined) ready.delete(oldest)
    return made
  }

  return {
    /** @throws Unpreparable; any other error is the store's, and may pass */
    prepared: async (dispatchId: string): Promise<PreparedDispatch> => {
      const known = ready.get(dispatchId)
      if (!known) return firstTime(dispatchId)
      const prepared = await known
      const [dispatch, project] = await Promise.all([
        repositories.dispatches.get({ _id: dispatchId }),
        repositories.projects.get({ _id: prepared.project._id }),
      ])
      assertGoing(dispatch)
      assertFree(project)
      return { ...prepared, project }
    },
  }
}
export type Preparation = ReturnType<typeof preparing>
