import { z } from 'zod'
import type { Contact } from '../contacts/contact.js'
import { addressKey, isEmailAddress } from '../kernel/email-address.js'
import { concurrencyLimiter } from '../kernel/limiter.js'
import { parsed } from '../kernel/parsed.js'
import type { Secrets, Sleep } from '../kernel/ports.js'
import { blocked, notFound } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { EmailRecord } from '../mail/content.js'
import {
  countDistinctFeeds,
  estimateUnreadFeedBytes,
  FeedFailure,
  type FeedLoader,
  type FeedValues,
} from '../mail/feeds.js'
import { type MergeTagContact, mergeContext } from '../mail/merge-context.js'
import { unknownMergeTags } from '../mail/merge-tags.js'
import { oneLine, textHeader } from '../mail/mime.js'
import type { EmailTemplateChecks } from '../mail/plain-text.js'
import { mailTextsRenderer, sharedRenderContext } from '../mail/rendering.js'
import { RenderFailure } from '../mail/template/budget.js'
import { compileTemplate } from '../mail/template/program.js'
import type { Project } from '../projects/project.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import type { ContentSnapshot } from '../sending/ledger/dispatch.js'
import { MergeData } from './sends.js'
import {
  type TestedEmailRepositories,
  type TestedKind,
  testEmailLinks,
  testedEmailLookup,
  testedKinds,
} from './test-emails.js'

type Deps = {
  readonly repositories: TestedEmailRepositories & RepositoriesFor<{ contacts: Contact; projects: Project }>
  readonly acceptor: Pick<SendAcceptor, 'contentOf'>
  readonly feedLoader: FeedLoader
  readonly emailTemplates: EmailTemplateChecks
  readonly secrets: Pick<Secrets, 'sign' | 'signed'>
  readonly settings: { readonly publicUrl: string }
  readonly sleep: Sleep
}

const shortText = z.string().max(5000)

const PreviewedContact = z
  .object({
    email: shortText.default('').describe('As {{contact.email}} prints it'),
    name: shortText.default('').describe('As {{contact.name}} prints it'),
    tags: z.array(shortText).max(500).default([]).describe('As {{contact.tags}} has them'),
  })
  .catchall(z.union([shortText, z.number(), z.boolean(), z.null()], 'expected a text, a number, a boolean or null'))
  .meta({ id: 'PreviewedContact', description: 'Custom-field values are flat top-level keys' })

/** gaps.md, "Sending". */
export const RenderPreview = z
  .strictObject({
    type: z.enum(testedKinds).optional().describe('Kind of the email; absent: any'),
    contact: z
      .union([z.string().min(1).max(320), PreviewedContact], 'expected an id, an address or the fields of a contact')
      .optional()
      .describe('Recipient: id or address of a contact, or its fields; absent: no contact'),
    data: MergeData,
  })
  .meta({ id: 'RenderPreview' })
export type RenderPreview = z.input<typeof RenderPreview>

/** A visual document that is not saved yet, as the email with it would look. */
export const DocumentPreview = RenderPreview.extend({
  document: z.unknown().describe('The visual editor’s JSON'),
}).meta({ id: 'DocumentPreview' })
export type DocumentPreview = z.input<typeof DocumentPreview>

/** An email rendered for one contact; nothing is sent or counted. */
export const RenderedPreview = z
  .object({
    subject: z.string().describe('Subject as in its header, in one line'),
    html: z.string().describe('Empty for an email of plain text'),
    text: z.string().describe('Plain-text part, or the whole of a text email'),
    warnings: z.array(z.string()).describe('Merge tags without a value'),
  })
  .meta({ id: 'RenderedPreview' })
export type RenderedPreview = z.output<typeof RenderedPreview>

type Rendered = readonly [contact: MergeTagContact, data: Readonly<Record<string, unknown>>]

const nobody: MergeTagContact = { email: '', name: '', tags: [], customFields: {} }

/** With the limits of a mail's rendering; takes no credit. */
export const previewUseCases = (deps: Deps) => {
  const { repositories, acceptor, feedLoader, emailTemplates, sleep } = deps
  const { contacts, projects } = repositories
  const emails = testedEmailLookup(repositories)
  const withLinks = testEmailLinks(deps)
  const rendering = concurrencyLimiter({ total: 1 })

  const emailOf = async (projectId: string, id: string, type: TestedKind | undefined) => {
    if (type) return { kind: type, email: await emails.ofKind(projectId, type, id) }
    const found = await emails.any({ _id: id, projectId })
    if (!found) throw notFound('Email')
    return found
  }

  /** May be an address that is no contact's. */
  const contactOf = async (
    projectId: string,
    given: z.output<typeof RenderPreview>['contact'],
  ): Promise<MergeTagContact> => {
    if (given === undefined) return nobody
    if (typeof given !== 'string') {
      const { email, name, tags, ...customFields } = given
      const values = Object.entries(customFields).filter((entry): entry is [string, string] => entry[1] !== null)
      return { email, name, tags, customFields: Object.fromEntries(values) }
    }
    const isAddress = isEmailAddress(given)
    const found = await contacts.get({ projectId, ...(isAddress ? { emailKey: addressKey(given) } : { _id: given }) })
    if (!found && !isAddress) throw notFound('Contact')
    return found ?? { ...nobody, email: given }
  }

  const said = async (
    projectId: string,
    { email: content, design }: Pick<ContentSnapshot, 'email' | 'design'>,
    contact: MergeTagContact,
    data: Readonly<Record<string, unknown>>,
    feeds: FeedValues,
  ) => {
    try {
      const plainText = await emailTemplates.plainTextOf(content, projectId)
      const context = mergeContext(sharedRenderContext({ data, feeds, design }), contact, undefined)
      return await rendering.run(projectId, async () => {
        await sleep(0)
        const subject = oneLine(compileTemplate(content.subject, 'text')(context))
        textHeader('Subject', subject)
        return { subject, ...(await mailTextsRenderer({ content, plainText })(context)) }
      })
    } catch (error) {
      if (error instanceof RenderFailure) throw blocked(error.message)
      throw error
    }
  }

  /** Feeds count against the account's memory until the preview is rendered. */
  const withFeeds = (projectId: string, content: Pick<ContentSnapshot, 'email' | 'design'>, ...rest: Rendered) => {
    const { feeds } = content.email
    if (feeds.length === 0) return said(projectId, content, ...rest, {})
    return feedLoader.during(projectId, estimateUnreadFeedBytes(countDistinctFeeds(feeds)), async ({ read }) => {
      const values = await read(feeds, projectId).catch((error: unknown) => {
        throw error instanceof FeedFailure ? blocked(error.message) : error
      })
      return said(projectId, content, ...rest, values)
    })
  }

  const rendered = async (
    projectId: string,
    { kind, email }: { readonly kind: TestedKind; readonly email: EmailRecord },
    { contact: asked, data: given }: Pick<z.output<typeof RenderPreview>, 'contact' | 'data'>,
  ): Promise<RenderedPreview> => {
    const data = given ?? {}
    const contact = await contactOf(projectId, asked)
    const project = await getOrNotFound(projects, { _id: projectId })
    const content = await acceptor.contentOf(project, email)
    const { subject, html = '', text } = await withFeeds(projectId, content, contact, withLinks(kind, email._id, data))
    return { subject, html, text, warnings: [...unknownMergeTags(email, data)] }
  }

  return {
    /** @throws Refusal `invalid`, `not-found`, `blocked` with the reason why it could not be sent, `busy` */
    preview: async ({ projectId }: Scope, id: string, input: RenderPreview): Promise<RenderedPreview> => {
      const given = parsed(RenderPreview, input)
      return rendered(projectId, await emailOf(projectId, id, given.type), given)
    },

    /** The stored email with another document; stores nothing. @throws Refusal as `preview` does */
    previewDocument: async ({ projectId }: Scope, id: string, input: DocumentPreview): Promise<RenderedPreview> => {
      const given = parsed(DocumentPreview, input)
      const { kind, email } = await emailOf(projectId, id, given.type)
      const subject = email.subject.trim() === '' ? email.name : email.subject
      return rendered(
        projectId,
        { kind, email: { ...email, subject, type: 'visual', document: given.document } },
        given,
      )
    },
  }
}
