import type { Campaign } from '../campaigns/campaign.js'
import type { DesignSystem } from '../design-systems/design-system.js'
import type { Template } from '../emails/templates.js'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { TriggeredEmail } from '../emails/triggered-emails.js'
import { collected } from '../kernel/listing.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import { SubscriberListFields } from '../lists/subscriber-list.js'
import type { StoredEmail } from '../mail/content.js'
import type { Project } from '../projects/project.js'
import { type ImageCopiesDeps, imageCopies } from './image-copies.js'

export type StarterContentDeps = ImageCopiesDeps & {
  readonly repositories: RepositoriesFor<{
    templates: Template
    designSystems: DesignSystem
    subscriberLists: SubscriberList
    campaigns: Campaign
    triggeredEmails: TriggeredEmail
    transactionalEmails: TransactionalEmail
  }>
}

/** The name of the list that is created for emails that require one. */
const listName = 'Subscribers'

const needsList = ({ onProjectCreation }: Template) =>
  onProjectCreation === 'set-as-triggered' || onProjectCreation === 'set-as-campaign'

/** Copies another project's templates and design system to a new project, and creates an email from each template that requests it. */
export const starterContent = (deps: StarterContentDeps) => {
  const { repositories, newId } = deps
  const withImages = imageCopies(deps)
  const { templates, designSystems, subscriberLists, campaigns, triggeredEmails, transactionalEmails } = repositories

  const emailOf = ({ name, subject, previewText, document }: Template, { _id, createdAt }: Project): StoredEmail => ({
    _id: newId(),
    projectId: _id,
    name,
    subject,
    ...(previewText && { previewText }),
    type: 'visual',
    document,
    feeds: [],
    createdAt,
    updatedAt: createdAt,
  })

  const makeEmail = async (template: Template, project: Project, subscriberListId: string): Promise<void> => {
    const email = emailOf(template, project)
    const toList = { subscriberListId, excludeUnengaged: false }
    const draft: Campaign = { ...email, ...toList, status: 'draft', timeZone: 'UTC' }
    if (template.onProjectCreation === 'set-as-transactional') await transactionalEmails.add(email)
    else if (template.onProjectCreation === 'set-as-triggered') await triggeredEmails.add({ ...email, ...toList })
    else if (template.onProjectCreation === 'set-as-campaign') await campaigns.add(draft)
  }

  const makeList = async ({ _id: projectId, createdAt }: Project): Promise<string> => {
    const _id = newId()
    const fields = SubscriberListFields.parse({ name: listName })
    await subscriberLists.add({ _id, projectId, ...fields, createdAt, updatedAt: createdAt })
    return _id
  }

  const copyDesign = async (
    source: Project,
    { _id: projectId, designSystemId, createdAt }: Project,
    moved: <T>(value: T) => Promise<T>,
  ): Promise<void> => {
    const own = await designSystems.get({ _id: source.designSystemId })
    const stamps = { createdAt, updatedAt: createdAt }
    if (own)
      await designSystems.add({ _id: designSystemId, projectId, overrides: await moved(own.overrides), ...stamps })
  }

  /** Writes all copies before the new project itself is stored. After a crash they belong to no project. */
  return async (source: Project, project: Project): Promise<void> => {
    const { _id: projectId, createdAt } = project
    const moved = withImages(source, project)
    await copyDesign(source, project, moved)
    const all = await collected(templates.each({ projectId: source._id }))
    const listId = all.some(needsList) ? await makeList(project) : ''
    for (const original of all) {
      const document = await moved(original.document)
      const template = { ...original, document, _id: newId(), projectId, createdAt, updatedAt: createdAt }
      await templates.add(template)
      await makeEmail(template, project, listId)
    }
  }
}
