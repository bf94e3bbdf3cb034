import type { DesignSystem } from '../../design-systems/design-system.js'
import { type DesignVariables, designVariables, mergedDesign } from '../../design-systems/design-system.js'
import type { EmailContent, StoredEmail } from '../../emails/email-content.js'
import type { EmailTemplates } from '../../emails/email-templates.js'
import { documentLinks } from '../../emails/link-blocks.js'
import type { VisualRenderer } from '../../emails/ports.js'
import { sendableReason } from '../../emails/stored-email.js'
import { onceRendered } from '../../emails/visual-document.js'
import { byteBoundedCache } from '../../kernel/byte-bounded-cache.js'
import { type LargeWork, largeText } from '../../kernel/large-work.js'
import type { Clock, Secrets } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { ifKeyTaken } from '../../kernel/repository.js'
import { type Stamped, stamps } from '../../kernel/shapes.js'
import { jsonLength } from '../../kernel/storable.js'
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

/** Where its links stand, which its HTML does not say. */
const blocksOf = (document: unknown): Pick<EmailContent, 'blocks'> => {
  const blocks = documentLinks(document)
  return blocks.length > 0 ? { blocks } : {}
}

const unsendable = 'The visual document makes no template that can be sent'

/** Of digests: some eight thousand. */
const maxBytes = 2 * 1024 * 1024

/** More than the templates that read the variable, and never fewer: who reads `design` has to spell it. */
const mentionsDesign = ({ subject, previewText, document }: EmailContent): boolean =>
  [subject, previewText, document].some((template) => typeof template === 'string' && template.includes('design'))

/** What dispatches are rendered from, as it is when they are accepted, kept once for each distinct content. */
export const frozenContents = (deps: Deps) => {
  const { secrets, clock, visualRenderer, emailTemplates, large } = deps
  const { contents, designSystems } = deps.repositories
  const render = visualRenderer && onceRendered(visualRenderer, secrets.digest)
  /** Contents known to be stored; forgetting one costs a write that finds it there. */
  const known = byteBoundedCache<string, true>({ maxBytes, sizeOf: (id) => id.length * 2 })

  /** Rendering goes on elsewhere: the step is over when that has begun. */
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
    const begin = () => ({
      tried: emailTemplates.assertCompiles(content, email.projectId, type === 'visual' ? unsendable : 'document'),
    })
    await (await large.stepOver(lengthOf(content), email.projectId, begin)).tried
    return content
  }

  /** Worked out once for an email as it was read, however often that is asked for. */
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

  /** What is rendered, with the design where it is spoken of. */
  const designed = async (project: Project, email: StoredEmail) => {
    const sent = await frozen(email)
    return { email: sent, ...(mentionsDesign(sent) && { design: await designOf(project) }) }
  }

  /** By what is sent, and by the sender that it comes from. */
  const idsOf = new WeakMap<EmailContent, WeakMap<UsableSender, string>>()

  /** The digest of a content; without a design, worked out once for what is sent and its sender as they were read. */
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
    /** What a sending would be rendered from now; nothing is kept. @throws Refusal as `assertSendable` does */
    current: async (project: Project, email: StoredEmail): Promise<Pick<Content, 'email' | 'design'>> => {
      assertComplete(email)
      return designed(project, email)
    },

    /**
     * Answers what it would be sent as.
     * @throws Refusal `blocked` for an email without subject or document, or with one that cannot be rendered or compiled;
     * `busy` where that has to wait
     */
    assertSendable: async (email: StoredEmail): Promise<EmailContent> => {
      assertComplete(email)
      return frozen(email)
    },

    /** Answers the id of the content. @throws Refusal as `assertSendable` does */
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
