import {
  type DesignSystem,
  type DesignVariables,
  designVariables,
  mergedDesign,
} from '../../design-systems/design-system.js'
import { byteBoundedCache, byteBoundedLookup, textMemoryBytes } from '../../kernel/byte-bounded-cache.js'
import { type CooperativeQueue, largeTextThreshold } from '../../kernel/cooperative-queue.js'
import type { Clock, Secrets } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../../kernel/repository.js'
import { type Stamped, stamps } from '../../kernel/shapes.js'
import { jsonLengthUpTo } from '../../kernel/storable.js'
import { type EmailContent, type EmailRecord, unsendableContentReason } from '../../mail/content.js'
import { visualDocumentLinks } from '../../mail/link-places.js'
import type { EmailTemplateChecks } from '../../mail/plain-text.js'
import type { VisualRenderer } from '../../mail/ports.js'
import type { Project } from '../../projects/project.js'
import type { ContentSnapshot, SentContent } from '../ledger/dispatch.js'
import type { UsableSender } from './usable-sender.js'

export type SnapshotDeps = {
  readonly repositories: RepositoriesFor<{ contents: ContentSnapshot; designSystems: DesignSystem }>
  readonly secrets: Pick<Secrets, 'digest'>
  readonly clock: Clock
  readonly visualRenderer?: VisualRenderer | undefined
  readonly emailTemplates: Pick<EmailTemplateChecks, 'assertCompiles'>
  readonly large: CooperativeQueue
}

const lengthOf = ({ document, text = '' }: EmailContent): number =>
  text.length + (typeof document === 'string' ? document.length : 0)

const blocksOf = (document: unknown): Pick<EmailContent, 'blocks'> => {
  const blocks = visualDocumentLinks(document)
  return blocks.length > 0 ? { blocks } : {}
}

const unsendable = 'The visual document renders to an invalid template'

const htmlBytes = 8 * 1024 * 1024

/** Failures are not cached. */
export const cachedVisualRenderer = (render: VisualRenderer, digest: (text: string) => string): VisualRenderer => {
  const rendered = byteBoundedLookup({ maxBytes: htmlBytes, largestEntry: htmlBytes / 2, sizeOf: textMemoryBytes })
  return (document, projectId) =>
    rendered(`${projectId}:${digest(JSON.stringify(document))}`, () => render(document, projectId))
}

/** About 8,000 digests. */
const maxBytes = 2 * 1024 * 1024

/** May match needlessly, but never misses a use. */
const mentionsDesign = ({ subject, previewText, document, text, isLiteral }: EmailContent): boolean =>
  !isLiteral &&
  [subject, previewText, document, text].some((template) => typeof template === 'string' && template.includes('design'))

/** Content as of acceptance; each distinct content is stored once. */
export const contentSnapshots = (deps: SnapshotDeps) => {
  const { secrets, clock, visualRenderer, emailTemplates, large } = deps
  const { contents, designSystems } = deps.repositories
  const render = visualRenderer && cachedVisualRenderer(visualRenderer, secrets.digest)
  const known = byteBoundedCache<string, true>({ maxBytes, sizeOf: (id) => id.length * 2 })

  const rendered = async (render: VisualRenderer, { document, projectId }: EmailRecord): Promise<string> => {
    const size = jsonLengthUpTo(document, largeTextThreshold)
    return (await large.stepOver(size, projectId, () => ({ html: render(document, projectId) }))).html
  }

  const freeze = async (email: EmailRecord): Promise<EmailContent> => {
    const { name, subject, previewText, senderIdentity, replyTo, type, document, text, isLiteral, feeds } = email
    const rest = {
      name,
      subject,
      feeds,
      ...(previewText && { previewText }),
      ...(senderIdentity && { senderIdentity }),
      ...(replyTo && { replyTo }),
      ...(text !== undefined && { text }),
      ...(isLiteral && { isLiteral }),
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

  const ofRecord = new WeakMap<EmailRecord, Promise<EmailContent>>()
  const frozen = (email: EmailRecord): Promise<EmailContent> => {
    const known = ofRecord.get(email)
    if (known) return known
    const freezing = freeze(email)
    ofRecord.set(email, freezing)
    return freezing
  }

  const designOf = async ({ designSystemId }: Project): Promise<DesignVariables> =>
    designVariables(mergedDesign((await designSystems.get({ _id: designSystemId }))?.overrides ?? []))

  const designed = async (project: Project, email: EmailRecord) => {
    const sent = await frozen(email)
    return { email: sent, ...(mentionsDesign(sent) && { design: await designOf(project) }) }
  }

  const sentContent = async (
    project: Project,
    email: EmailRecord,
    { email: address, name, region }: UsableSender,
  ): Promise<SentContent> => {
    const { email: sent, ...design } = await designed(project, email)
    return { email: sent, from: { email: address, name, region }, ...design }
  }

  const idsOf = new WeakMap<EmailContent, WeakMap<UsableSender, string>>()

  const idOf = (content: Omit<ContentSnapshot, keyof Stamped>, sender: UsableSender): string => {
    if (content.design) return secrets.digest(JSON.stringify(content))
    const ids = idsOf.get(content.email) ?? new WeakMap<UsableSender, string>()
    const id = ids.get(sender) ?? secrets.digest(JSON.stringify(content))
    idsOf.set(content.email, ids.set(sender, id))
    return id
  }

  const assertComplete = (email: EmailRecord): void => {
    const reason = unsendableContentReason(email, visualRenderer)
    if (reason) throw blocked(reason)
  }

  return {
    /** Stores nothing. @throws Refusal like `assertSendable` */
    current: async (project: Project, email: EmailRecord): Promise<Pick<ContentSnapshot, 'email' | 'design'>> => {
      assertComplete(email)
      return designed(project, email)
    },

    /** @throws Refusal `blocked` if subject or document is missing or does not compile; `busy` */
    assertSendable: async (email: EmailRecord): Promise<EmailContent> => {
      assertComplete(email)
      return frozen(email)
    },

    /** What a dispatch keeps by itself. */
    own: sentContent,

    keep: async (project: Project, email: EmailRecord, sender: UsableSender) => {
      const content = { projectId: email.projectId, ...(await sentContent(project, email, sender)) }
      const { email: sent } = content
      return large.stepOver(lengthOf(sent), email.projectId, async () => {
        const _id = idOf(content, sender)
        if (known.get(_id)) return _id
        await contents
          .add({ _id, ...content, ...stamps(clock().toISOString()) } satisfies ContentSnapshot)
          .catch(ifKeyTaken(() => undefined))
        known.set(_id, true)
        return _id
      })
    },
  }
}
