import { type Domain, trackingHostOf } from '../../domains/domain.js'
import { byteBoundedLookup, valueMemoryBytes } from '../../kernel/byte-bounded-cache.js'
import { domainOf } from '../../kernel/email-address.js'
import type { Files, Runtime, Secrets } from '../../kernel/ports.js'
import { isBusyRefusal } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { SubscriberList } from '../../lists/subscriber-list.js'
import type { EmailContent } from '../../mail/content.js'
import {
  estimateUnreadFeedBytes,
  FeedFailure,
  type FeedLoader,
  type FeedTurn,
  type FeedValues,
} from '../../mail/feeds.js'
import { type LinkTables, linkTables } from '../../mail/link-tables.js'
import { longestTrackedLink, personalLinkLength } from '../../mail/link-tracking.js'
import type { EmailTemplateChecks } from '../../mail/plain-text.js'
import { type EmailToPrepare, linkTableOf, type PreparedEmail, prepareEmail } from '../../mail/rendering.js'
import type { Project } from '../../projects/project.js'
import { mailTokenLength } from '../../tokens/tracking-token.js'
import { type AttachmentLimits, cachedAttachmentParts, dispatchFolder } from '../acceptance/attachments.js'
import { attributionOf, type StatisticsAttribution } from '../ledger/attribution.js'
import {
  type ContentSnapshot,
  type Dispatch,
  type SentContent,
  sentContentLookup,
  subscriberListIdOf,
} from '../ledger/dispatch.js'
import { restrictionMessage } from '../restriction/restriction.js'

type FeedbackMarks = { readonly project: string; readonly account: string }

/** Stable keyed digests for `Feedback-ID`, by which feedback loops group mails. */
const feedbackMarks = (
  secrets: Pick<Secrets, 'sign'>,
  { projectId, accountId }: { readonly projectId: string; readonly accountId: string },
): FeedbackMarks => {
  // Colons keep the signed text distinct from any token's.
  const mark = (kind: string, id: string) => secrets.sign(`feedback:${kind}:${id}`).slice(0, 16)
  return { project: mark('project', projectId), account: mark('account', accountId) }
}

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly files: Pick<Files, 'get' | 'put' | 'remove'>
  readonly secrets: Pick<Secrets, 'digest'>
}

/** For several recipients, feeds are stored, so that all workers render the same values. */
const feedSnapshots = ({ repositories: { dispatches }, files, secrets }: Deps) => {
  const load = async (file: string): Promise<FeedValues> => {
    const bytes = await files.get(file)
    if (!bytes) throw new FeedFailure('The feeds of the dispatch were removed.')
    return JSON.parse(new TextDecoder().decode(bytes)) as FeedValues
  }

  /** The first worker to store its values wins. */
  const keep = async (dispatchId: string, values: FeedValues): Promise<FeedValues> => {
    const json = JSON.stringify(values)
    const file = `${dispatchFolder(dispatchId)}/feeds-${secrets.digest(json).slice(0, 16)}`
    await files.put(file, new TextEncoder().encode(json))
    const bytes = valueMemoryBytes(values)
    const after = await dispatches.change({ _id: dispatchId }, (one) =>
      one.feeds && !one.feeds.kept ? { ...one, feeds: { ...one.feeds, kept: { file, bytes } } } : one,
    )
    const kept = after?.feeds?.kept?.file ?? file
    if (kept === file) return values
    await files.remove(file)
    return load(kept)
  }

  return async (
    { _id: dispatchId, projectId, audience, feeds }: Dispatch,
    content: SentContent,
    turn: FeedTurn | undefined,
  ): Promise<FeedValues> => {
    if (!feeds || !turn) return {}
    if (!feeds.kept) {
      const values = await turn.read(content.email.feeds, projectId)
      return audience.kind === 'address' ? values : keep(dispatchId, values)
    }
    turn.settle(feeds.kept.bytes)
    return load(feeds.kept.file)
  }
}

type TrackingDeps = {
  readonly repositories: RepositoriesFor<{ domains: Domain }>
  readonly linkTables: Pick<LinkTables, 'keep'>
  readonly settings: { readonly publicUrl: string }
}

/** Stores the tracked links before the first mail is sent. Undefined if nothing is tracked. */
const dispatchTracking = ({ repositories: { domains }, linkTables, settings: { publicUrl } }: TrackingDeps) => {
  /** The tracking host of the sender’s domain, if any, with the scheme of the public URL. */
  const baseOf = async (projectId: string, { email, region }: ContentSnapshot['from']): Promise<string> => {
    const domain = await domains.get({ projectId, domain: domainOf(email), region })
    const host = domain && trackingHostOf(domain)
    return host === undefined ? publicUrl : `${new URL(publicUrl).protocol}//${host}`
  }

  return async (
    { kind, audience, projectId, tracking: chosen }: Pick<Dispatch, 'kind' | 'audience' | 'projectId' | 'tracking'>,
    from: ContentSnapshot['from'],
    email: Pick<EmailToPrepare, 'content' | 'data' | 'feeds' | 'design'>,
  ): Promise<EmailToPrepare['tracking']> => {
    if (!chosen.opens && !chosen.clicks) return undefined
    if (kind === 'test' || email.content.type === 'text') return undefined
    const isOne = audience.kind === 'address'
    const tracking = {
      base: await baseOf(projectId, from),
      ...chosen,
      tokenLength: isOne ? mailTokenLength.one : mailTokenLength.many,
    }
    // Values that all mails share; a single mail's own only where links would become too long.
    const table = linkTableOf(
      email,
      tracking,
      (link, values) => !isOne || personalLinkLength(tracking, link, values) > longestTrackedLink,
    )
    return table && { ...tracking, table, tableId: await linkTables.keep(table) }
  }
}

type CompilerDeps = Pick<Runtime, 'files' | 'clock'> & {
  readonly repositories: RepositoriesFor<{
    dispatches: Dispatch
    contents: ContentSnapshot
    projects: Project
    subscriberLists: SubscriberList
    domains: Domain
  }>
  readonly secrets: Pick<Secrets, 'sign' | 'digest'>
  readonly feedLoader: FeedLoader
  readonly emailTemplates: EmailTemplateChecks
  readonly settings: { readonly publicUrl: string } & Pick<AttachmentLimits, 'attachmentBytes'>
}

export type CompiledDispatch = Pick<StatisticsAttribution, 'subject' | 'figureSubjects'> & {
  readonly dispatch: Dispatch
  readonly project: Project
  readonly email: PreparedEmail
  readonly isShared: boolean
  readonly bytes: number
}

type Made = Omit<CompiledDispatch, 'dispatch' | 'project'>

/** Dispatches with this key compile to the same result. Includes the minute, so that domains are read again. */
export const sharedCompileKey = ({
  audience,
  attachments,
  feeds,
  contentId,
  own,
  headers,
  kind,
  emailId,
  accountId,
  tracking,
  createdAt,
}: Dispatch) =>
  audience.kind === 'address' && !attachments?.length && !feeds && !own && !headers
    ? JSON.stringify([contentId, kind, emailId, accountId, tracking, createdAt.slice(0, 16)])
    : undefined

const isOfAll = (tracking: EmailToPrepare['tracking']): boolean =>
  !tracking || tracking.table.links.every(({ to }) => to.length === 1)

/** A required feed failed, or a template does not compile. */
export class UnsendableDispatch extends Error {
  override readonly name = 'UnsendableDispatch'
}

/** The feeds must be read first, in `inFeedTurn`. */
export type FeedsUnread = { readonly kind: 'feeds-unread'; readonly dispatch: Dispatch }

const orUnsendable = async <T>(make: () => T | Promise<T>): Promise<T> => {
  try {
    return await make()
  } catch (error) {
    if (isBusyRefusal(error)) throw error
    throw new UnsendableDispatch(error instanceof Error ? error.message : String(error))
  }
}

function assertGoing(dispatch: Dispatch | undefined): asserts dispatch is Dispatch {
  if (!dispatch) throw new UnsendableDispatch('The dispatch is gone.')
  if (dispatch.stage === 'stopped')
    throw new UnsendableDispatch(dispatch.errorMessage ?? dispatch.stopError?.message ?? 'The sending was stopped.')
}

function assertFree(project: Project | undefined): asserts project is Project {
  if (!project) throw new UnsendableDispatch('The project is gone.')
  if (project.restricted) throw new UnsendableDispatch(restrictionMessage(project))
}

const maxBytes = 32 * 1024 * 1024

const bytesPerCharacter = 8

const bytesOf = (templates: readonly unknown[], values: readonly unknown[]): number =>
  bytesPerCharacter * templates.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0) +
  valueMemoryBytes(values)

/** Compiles content and feeds once per dispatch. Failures are not cached. */
export const dispatchCompiler = ({
  repositories,
  secrets,
  files,
  feedLoader,
  emailTemplates,
  clock,
  settings,
}: CompilerDeps) => {
  const ready = byteBoundedLookup<Made>({ maxBytes, largestEntry: maxBytes, sizeOf: ({ bytes }) => bytes })
  const shared = byteBoundedLookup<Made | undefined>({
    maxBytes: maxBytes / 2,
    largestEntry: maxBytes / 8,
    sizeOf: (made) => made?.bytes ?? 0,
  })
  const partsOf = cachedAttachmentParts({ files, settings })
  const feedsOf = feedSnapshots({ repositories, files, secrets })
  const trackingOf = dispatchTracking({ repositories, linkTables: linkTables({ files, secrets, clock }), settings })

  const listOf = async ({ audience, projectId }: Dispatch) => {
    const _id = subscriberListIdOf(audience)
    return _id === undefined ? undefined : repositories.subscriberLists.get({ _id, projectId })
  }

  const sentContentOf = sentContentLookup(repositories)
  const contentOf = async (dispatch: Dispatch): Promise<SentContent> => {
    const content = await sentContentOf(dispatch)
    if (!content) throw new UnsendableDispatch('The content of the dispatch is gone.')
    return content
  }

  const make = async (
    dispatch: Dispatch,
    content: SentContent,
    isShared: boolean,
    turn?: FeedTurn,
  ): Promise<Made | undefined> => {
    const { _id: dispatchId, projectId } = dispatch
    const data = isShared ? {} : (dispatch.data ?? {})
    const list = await listOf(dispatch)
    const plainText = await orUnsendable(() => emailTemplates.plainTextOf(content.email, projectId))
    const feeds = await feedsOf(dispatch, content, turn).catch((error: unknown) => {
      throw error instanceof FeedFailure ? new UnsendableDispatch(error.message) : error
    })
    const rendered = { content: content.email, feeds, data, design: content.design }
    const tracking = await trackingOf(dispatch, content.from, rendered)
    if (isShared && !isOfAll(tracking)) return undefined
    const email = await orUnsendable(() =>
      prepareEmail({
        ...rendered,
        from: content.from,
        tracking,
        ...(dispatch.attachments?.length && { attachments: () => partsOf(dispatch) }),
        plainText,
        kind: dispatch.kind,
        ids: { dispatchId, emailId: dispatch.emailId },
        feedback: feedbackMarks(secrets, dispatch),
        headers: dispatch.headers,
        ...(list && { list: { id: list._id, name: list.name } }),
        publicHost: new URL(settings.publicUrl).hostname,
      }),
    )
    const templates = [content.email.document, content.email.text, 'template' in plainText && plainText.template]
    const bytes = bytesOf(templates, [feeds, data, dispatch.audience, tracking?.table])
    const { subject, figureSubjects } = attributionOf(dispatch, content)
    return { subject, figureSubjects, email, isShared, bytes }
  }

  const madeShared = (dispatch: Dispatch): Promise<Made | undefined> => {
    const key = sharedCompileKey(dispatch)
    if (key === undefined) return Promise.resolve(undefined)
    return shared(key, async () => make(dispatch, await contentOf(dispatch), true))
  }

  const madeAlone = (dispatch: Dispatch, turn: FeedTurn | undefined): Promise<Made> =>
    ready(dispatch._id, async () => {
      const made = await make(dispatch, await contentOf(dispatch), false, turn)
      if (!made) throw new UnsendableDispatch('The dispatch cannot be compiled.')
      return made
    })

  return {
    /** Starts converting the plain text. Compiling reports any failure. */
    warmUp: (content: EmailContent, projectId: string): void => {
      emailTemplates.plainTextOf(content, projectId).catch(() => undefined)
    },

    /**
     * Charges the feeds to their account.
     * @throws Refusal `busy`
     */
    inFeedTurn: <T>({ projectId, feeds }: Dispatch, work: (turn: FeedTurn) => Promise<T>): Promise<T> =>
      feedLoader.during(projectId, feeds?.kept?.bytes ?? estimateUnreadFeedBytes(feeds?.distinct ?? 0), work),

    /**
     * @param known the dispatch, if only the caller can change it
     * @throws UnsendableDispatch; Refusal `busy`; store errors
     */
    compiled: async (
      dispatchId: string,
      known?: Dispatch,
      turn?: FeedTurn,
    ): Promise<CompiledDispatch | FeedsUnread> => {
      const dispatch = known ?? (await repositories.dispatches.get({ _id: dispatchId }))
      assertGoing(dispatch)
      const project = await repositories.projects.get({ _id: dispatch.projectId })
      assertFree(project)
      if (dispatch.feeds && !turn) return { kind: 'feeds-unread', dispatch }
      const made = (await madeShared(dispatch)) ?? (await madeAlone(dispatch, turn))
      return { ...made, dispatch, project }
    },
  }
}
export type DispatchCompiler = ReturnType<typeof dispatchCompiler>
