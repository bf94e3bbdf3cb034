import type { Domain } from '../../domains/domain.js'
import { valueBytes } from '../../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../../kernel/cached-answers.js'
import type { Clock, Files, Secrets } from '../../kernel/ports.js'
import { isBusy } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import type { EmailContent } from '../../mail/content.js'
import { FeedFailure, type FeedLoader, type FeedTurn, unreadBytes } from '../../mail/feeds.js'
import { linkTables } from '../../mail/link-tables.js'
import type { EmailTemplates } from '../../mail/plain-text.js'
import { type EmailToPrepare, type PreparedEmail, prepareEmail } from '../../mail/rendering.js'
import type { Project } from '../../projects/project.js'
import type { AttachmentLimits } from '../acceptance/attachments.js'
import { attachmentParts } from '../acceptance/attachments.js'
import { type Attribution, attributionOf } from '../ledger/attribution.js'
import type { Content } from '../ledger/dispatch.js'
import { type Dispatch, listIdOf } from '../ledger/dispatch.js'
import { restrictionMessage } from '../restriction/restriction.js'
import { dispatchTracking } from './dispatch-tracking.js'
import { feedSnapshots } from './feed-snapshots.js'
import { feedbackMarks } from './feedback-marks.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    dispatches: Dispatch
    contents: Content
    projects: Project
    subscriberLists: SubscriberList
    domains: Domain
  }>
  readonly secrets: Pick<Secrets, 'sign' | 'digest'>
  readonly files: Files
  readonly feedLoader: FeedLoader
  readonly emailTemplates: EmailTemplates
  readonly clock: Clock
  readonly settings: { readonly publicUrl: string } & Pick<AttachmentLimits, 'attachmentBytes'>
}

/** A dispatch with everything that its mails are rendered from. */
export type CompiledDispatch = Pick<Attribution, 'subject' | 'subjects'> & {
  readonly dispatch: Dispatch
  readonly project: Project
  readonly email: PreparedEmail
  /** True if other dispatches with the same content share `email`. It then contains no data: each mail brings its own. */
  readonly isShared: boolean
  /** Estimated memory use in bytes, from the lengths of the sources. */
  readonly bytes: number
}

type Made = Omit<CompiledDispatch, 'dispatch' | 'project'>

/**
 * Cache key for single-address dispatches that compile to the same result. It includes the minute, so that domains are read again after
 * one.
 */
export const sharedKey = ({
  audience,
  attachments,
  feeds,
  contentId,
  kind,
  emailId,
  accountId,
  tracking,
  createdAt,
}: Dispatch) =>
  audience.kind === 'address' && !attachments?.length && !feeds
    ? JSON.stringify([contentId, kind, emailId, accountId, tracking, createdAt.slice(0, 16)])
    : undefined

/** True if the link table is the same for every recipient's data. */
const isOfAll = (tracking: EmailToPrepare['tracking']): boolean =>
  !tracking || tracking.table.links.every(({ to }) => to.length === 1)

/** The dispatch can never be sent: a required feed failed, say, or a template does not compile. */
export class NotSendable extends Error {
  override readonly name = 'NotSendable'
}

/** The feeds of a dispatch must be read or loaded, which requires a turn: see `inFeedTurn`. */
export class NeedsFeedTurn extends Error {
  override readonly name = 'NeedsFeedTurn'

  constructor(readonly dispatch: Dispatch) {
    super(`The feeds of the dispatch ${dispatch._id} have to be read`)
  }
}

const orNotSendable = async <T>(make: () => T | Promise<T>): Promise<T> => {
  try {
    return await make()
  } catch (error) {
    if (isBusy(error)) throw error
    throw new NotSendable(error instanceof Error ? error.message : String(error))
  }
}

/** This process or another one may have stopped the dispatch since it was compiled. */
function assertGoing(dispatch: Dispatch | undefined): asserts dispatch is Dispatch {
  if (!dispatch) throw new NotSendable('The dispatch is gone.')
  if (dispatch.stage === 'stopped') throw new NotSendable(dispatch.errorMessage ?? 'The sending was stopped.')
}

/** The project may have been restricted since the send gate let the dispatch through. */
function assertFree(project: Project | undefined): asserts project is Project {
  if (!project) throw new NotSendable('The project is gone.')
  if (project.restricted) throw new NotSendable(restrictionMessage(project))
}

/** Cache size in bytes for recently compiled dispatches. One dispatch with a feed of some megabytes may fill it. */
const maxBytes = 32 * 1024 * 1024

/** Bytes in memory per character of a compiled template's source. */
const bytesPerCharacter = 8

const bytesOf = (templates: readonly unknown[], values: readonly unknown[]): number =>
  bytesPerCharacter * templates.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0) +
  valueBytes(values)

/**
 * Stage 4 of a sending, once per dispatch: fetches, checks and compiles content and feeds before the first delivery, and caches the result
 * for the following ones. Failures are not cached; large results are dropped after use.
 */
export const compiler = ({ repositories, secrets, files, feedLoader, emailTemplates, clock, settings }: Deps) => {
  const ready = cachedAnswers<Made>({ maxBytes, largestEntry: maxBytes, sizeOf: ({ bytes }) => bytes })
  /** Like `ready`, for dispatches that share a result; undefined if each must be compiled separately. */
  const shared = cachedAnswers<Made | undefined>({
    maxBytes: maxBytes / 2,
    largestEntry: maxBytes / 8,
    sizeOf: (made) => made?.bytes ?? 0,
  })
  const partsOf = attachmentParts({ files, settings })
  const feedsOf = feedSnapshots({ repositories, files, secrets })
  const trackingOf = dispatchTracking({ repositories, linkTables: linkTables({ files, secrets, clock }), settings })

  const listOf = async ({ audience, projectId }: Dispatch) => {
    const _id = listIdOf(audience)
    return _id === undefined ? undefined : repositories.subscriberLists.get({ _id, projectId })
  }

  const contentOf = async ({ contentId }: Dispatch): Promise<Content> => {
    const content = await repositories.contents.get({ _id: contentId })
    if (!content) throw new NotSendable('The content of the dispatch is gone.')
    return content
  }

  const make = async (
    dispatch: Dispatch,
    content: Content,
    isShared: boolean,
    turn?: FeedTurn,
  ): Promise<Made | undefined> => {
    const { _id: dispatchId, projectId } = dispatch
    const data = isShared ? {} : (dispatch.data ?? {})
    const list = await listOf(dispatch)
    const plainText = await orNotSendable(() => emailTemplates.plainTextOf(content.email, projectId))
    const feeds = await feedsOf(dispatch, content, turn).catch((error: unknown) => {
      throw error instanceof FeedFailure ? new NotSendable(error.message) : error
    })
    const rendered = { content: content.email, feeds, data, design: content.design }
    const tracking = await trackingOf(dispatch, content.from, rendered)
    if (isShared && !isOfAll(tracking)) return undefined
    const email = await orNotSendable(() =>
      prepareEmail({
        ...rendered,
        from: content.from,
        tracking,
        ...(dispatch.attachments?.length && { attachments: () => partsOf(dispatch) }),
        plainText,
        kind: dispatch.kind,
        ids: { dispatchId, emailId: dispatch.emailId },
        feedback: feedbackMarks(secrets, dispatch),
        ...(list && { list: { id: list._id, name: list.name } }),
        publicHost: new URL(settings.publicUrl).hostname,
      }),
    )
    const templates = [content.email.document, 'template' in plainText && plainText.template]
    const bytes = bytesOf(templates, [feeds, data, dispatch.audience, tracking?.table])
    const { subject, subjects } = attributionOf(dispatch, content)
    return { subject, subjects, email, isShared, bytes }
  }

  const madeShared = (dispatch: Dispatch): Promise<Made | undefined> => {
    const key = sharedKey(dispatch)
    if (key === undefined) return Promise.resolve(undefined)
    return shared(key, async () => make(dispatch, await contentOf(dispatch), true))
  }

  const madeAlone = (dispatch: Dispatch, turn: FeedTurn | undefined): Promise<Made> =>
    ready(dispatch._id, async () => {
      const made = await make(dispatch, await contentOf(dispatch), false, turn)
      if (!made) throw new NotSendable('The dispatch cannot be compiled.')
      return made
    })

  return {
    /** Starts converting the plain text of a campaign that is about to be sent. Compiling reports any failure. */
    warmUp: (content: EmailContent, projectId: string): void => {
      emailTemplates.plainTextOf(content, projectId).catch(() => undefined)
    },

    /** Runs `work` while the dispatch's feeds are charged to its account. @throws Refusal `busy`; whatever `work` throws */
    inFeedTurn: <T>({ projectId, feeds }: Dispatch, work: (turn: FeedTurn) => Promise<T>): Promise<T> =>
      feedLoader.during(projectId, feeds?.kept?.bytes ?? unreadBytes(feeds?.distinct ?? 0), work),

    /**
     * @param known the dispatch, if only the caller can change it
     * @throws NotSendable; NeedsFeedTurn if the dispatch has feeds and the caller no turn; Refusal `busy` while too much of the project's
     * work is waiting; any other error comes from the store and may be temporary
     */
    compiled: async (dispatchId: string, known?: Dispatch, turn?: FeedTurn): Promise<CompiledDispatch> => {
      const dispatch = known ?? (await repositories.dispatches.get({ _id: dispatchId }))
      assertGoing(dispatch)
      const project = await repositories.projects.get({ _id: dispatch.projectId })
      assertFree(project)
      if (dispatch.feeds && !turn) throw new NeedsFeedTurn(dispatch)
      const made = (await madeShared(dispatch)) ?? (await madeAlone(dispatch, turn))
      return { ...made, dispatch, project }
    },
  }
}
export type Compiler = ReturnType<typeof compiler>
