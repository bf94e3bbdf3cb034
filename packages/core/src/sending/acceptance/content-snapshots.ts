import {
  type DesignSystem,
  type DesignVariables,
  designVariables,
  mergedDesign,
} from '../../design-systems/design-system.js'
import { byteBoundedCache, textBytes } from '../../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../../kernel/cached-answers.js'
import { type LargeWork, largeText } from '../../kernel/large-work.js'
import type { Clock, Secrets } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../../kernel/repository.js'
import { type Stamped, stamps } from '../../kernel/shapes.js'
import { jsonLength } from '../../kernel/storable.js'
import { type EmailContent, type StoredEmail, sendableReason } from '../../mail/content.js'
import { documentLinks } from '../../mail/link-places.js'
import type { EmailTemplates } from '../../mail/plain-text.js'
import type { VisualRenderer } from '../../mail/ports.js'
import type { Project } from '../../projects/project.js'
import type { Content } from '../ledger/dispatch.js'
import type { UsableSender } from './usable-sender.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ contents: Content; designSystems: DesignSystem }>
  readonly secrets: Pick<Secrets, 'digest'>
  readonly clock: Clock
  readonly visualRenderer?: VisualRenderer | undefined
  readonly emailTemplates: Pick<EmailTemplates, 'assertCompiles'>
  readonly large: LargeWork
}

const lengthOf = ({ document }: EmailContent): number => (typeof document === 'string' ? document.length : 0)

/** Positions of the document's links, which the rendered HTML no longer contains. */
const blocksOf = (document: unknown): Pick<EmailContent, 'blocks'> => {
  const blocks = documentLinks(document)
  return blocks.length > 0 ? { blocks } : {}
}

const unsendable = 'The visual document makes no template that can be sent'

/** Cache size in bytes for rendered HTML. One document yields at most two million characters, or 4 MB. */
const htmlBytes = 8 * 1024 * 1024

/** Renders each distinct document of a project once; recent results are cached, failures are not. */
export const onceRendered = (render: VisualRenderer, digest: (text: string) => string): VisualRenderer => {
  const rendered = cachedAnswers({ maxBytes: htmlBytes, largestEntry: htmlBytes / 2, sizeOf: textBytes })
  return (document, projectId) =>
    rendered(`${projectId}:${digest(JSON.stringify(document))}`, () => render(document, projectId))
}

/** Bytes of digests: about 8,000 entries. */
const maxBytes = 2 * 1024 * 1024

/** May also match templates that do not use the variable, but never misses one: using `design` requires spelling it. */
const mentionsDesign = ({ subject, previewText, document }: EmailContent): boolean =>
  [subject, previewText, document].some((template) => typeof template === 'string' && template.includes('design'))

/** Content snapshots: what dispatches are rendered from, as of their acceptance. Each distinct content is stored once. */
export const frozenContents = (deps: Deps) => {
  const { secrets, clock, visualRenderer, emailTemplates, large } = deps
  const { contents, designSystems } = deps.repositories
  const render = visualRenderer && onceRendered(visualRenderer, secrets.digest)
  /** Contents known to be stored. Forgetting one costs a write that finds it already stored. */
  const known = byteBoundedCache<string, true>({ maxBytes, sizeOf: (id) => id.length * 2 })

  /** Another process renders: the step ends once rendering has begun. */
  const rendered = async (render: VisualRenderer, { document, projectId }: StoredEmail): Promise<string> => {
    const size = jsonLength(document, largeText)
    return (await large.stepOver(size, projectId, () => ({ html: render(document, projectId) }))).html
  }

  const freeze = async (email: StoredEmail): Promise<EmailContent> => {
    const { name, subject, previewText, senderIdentity, replyTo, type, document, feeds } = email
    const rest = {
      name,
      subject,
      feeds,
      ...(previewText && { previewText }),
      ...(senderIdentity && { senderIdentity }),
      ...(replyTo && { replyTo }),
    }
    const content: EmailContent =
      type === 'visual' && render
        ? { ...rest, type: 'html', document: await rendered(render, email), ...blocksOf(document) }
        : { ...rest, type, document }
    await large.stepOver(lengthOf(content), email.projectId, () =>
      emailTemplates.assertCompiles(content, type === 'visual' ? unsendable : 'document'),
    )
    return content
  }

  /** Freezes each email record once; later calls return the same promise. */
  const ofRecord = new WeakMap<StoredEmail, Promise<EmailContent>>()
  const frozen = (email: StoredEmail): Promise<EmailContent> => {
    const known = ofRecord.get(email)
    if (known) return known
    const freezing = freeze(email)
    ofRecord.set(email, freezing)
    return freezing
  }

  const designOf = async ({ designSystemId }: Project): Promise<DesignVariables> =>
    designVariables(mergedDesign((await designSystems.get({ _id: designSystemId }))?.overrides ?? []))

  /** The frozen email, with the design if the email mentions it. */
  const designed = async (project: Project, email: StoredEmail) => {
    const sent = await frozen(email)
    return { email: sent, ...(mentionsDesign(sent) && { design: await designOf(project) }) }
  }

  /** Ids by frozen email, then by sender. */
  const idsOf = new WeakMap<EmailContent, WeakMap<UsableSender, string>>()

  /** The digest of a content. Without a design it is computed once per frozen email and sender. */
  const idOf = (content: Omit<Content, keyof Stamped>, sender: UsableSender): string => {
    if (content.design) return secrets.digest(JSON.stringify(content))
    const ids = idsOf.get(content.email) ?? new WeakMap<UsableSender, string>()
    const id = ids.get(sender) ?? secrets.digest(JSON.stringify(content))
    idsOf.set(content.email, ids.set(sender, id))
    return id
  }

  const assertComplete = (email: StoredEmail): void => {
    const reason = sendableReason(email, visualRenderer)
    if (reason) throw blocked(reason)
  }

  return {
    /** Returns what a sending would be rendered from now; stores nothing. @throws Refusal like `assertSendable` */
    current: async (project: Project, email: StoredEmail): Promise<Pick<Content, 'email' | 'design'>> => {
      assertComplete(email)
      return designed(project, email)
    },

    /**
     * Returns the content that would be sent.
     * @throws Refusal `blocked` if subject or document is missing, or the document cannot be rendered or compiled; `busy` if that would
     * have to wait
     */
    assertSendable: async (email: StoredEmail): Promise<EmailContent> => {
      assertComplete(email)
      return frozen(email)
    },

    /** Stores the content and returns its id. @throws Refusal like `assertSendable` */
    keep: async (project: Project, email: StoredEmail, sender: UsableSender) => {
      const { email: sent, ...design } = await designed(project, email)
      const { email: address, name, region } = sender
      const content = {
        projectId: email.projectId,
        email: sent,
        from: { email: address, name, region },
        ...design,
      }
      return large.stepOver(lengthOf(sent), email.projectId, async () => {
        const _id = idOf(content, sender)
        if (known.get(_id)) return _id
        const now = clock().toISOString()
        await contents.add({ _id, ...content, ...stamps(now) } satisfies Content).catch(ifKeyTaken(() => undefined))
        known.set(_id, true)
        return _id
      })
    },
  }
}
