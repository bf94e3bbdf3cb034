import type { Campaign } from '../campaigns/campaign.js'
import type { DesignSystem } from '../design-systems/design-system.js'
import type { Template } from '../emails/templates.js'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { TriggeredEmail } from '../emails/triggered-emails.js'
import { type GalleryImage, imageKey } from '../gallery/image.js'
import { imageTypes } from '../gallery/image-format.js'
import { collected } from '../kernel/listing.js'
import type { Runtime, Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { type SubscriberList, SubscriberListFields } from '../lists/subscriber-list.js'
import type { EmailRecord } from '../mail/content.js'
import type { Project } from '../projects/project.js'

type ImageCopiesDeps = Pick<Runtime, 'files' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ galleryImages: GalleryImage }>
  readonly secrets: Pick<Secrets, 'random'>
}

const folder = 'gallery/'
const extensions = Object.values(imageTypes).map(({ extension }) => `.${extension}`)

const keysIn = (text: string): readonly string[] => {
  const named = text.split(folder).slice(1)
  const keys = named.flatMap((rest) => {
    const dot = rest.indexOf('.')
    const extension = extensions.find((one) => dot > 0 && dot < 100 && rest.startsWith(one, dot))
    return extension ? [`${folder}${rest.slice(0, dot)}${extension}`] : []
  })
  return [...new Set(keys)]
}

/** Removing an original does not affect its copy. Shared images are not copied. */
const imageCopies = ({ repositories: { galleryImages }, files, secrets, newId }: ImageCopiesDeps) => {
  const copy = async (image: GalleryImage, { _id, createdAt }: Project): Promise<string | undefined> => {
    const bytes = await files.get(image.file)
    if (!bytes) return undefined
    const file = imageKey(secrets.random(16), image.contentType)
    const place = { treeId: _id, parentFolderId: null, addedBy: _id }
    await files.put(file, bytes)
    await galleryImages.add({ ...image, ...place, _id: newId(), file, createdAt, updatedAt: createdAt })
    return file
  }

  /** Returns the value with the copies' keys. */
  return (source: Project, project: Project) => {
    const copies = new Map<string, string>()

    return async <T>(value: T): Promise<T> => {
      let text = JSON.stringify(value) ?? ''
      for (const image of await collected(galleryImages.each({ treeId: source._id, file: keysIn(text) }))) {
        const file = copies.get(image.file) ?? (await copy(image, project))
        if (file === undefined) continue
        copies.set(image.file, file)
        text = text.replaceAll(image.file, file)
      }
      return text === '' ? value : JSON.parse(text)
    }
  }
}

type StarterContentDeps = ImageCopiesDeps & {
  readonly repositories: RepositoriesFor<{
    templates: Template
    designSystems: DesignSystem
    subscriberLists: SubscriberList
    campaigns: Campaign
    triggeredEmails: TriggeredEmail
    transactionalEmails: TransactionalEmail
  }>
}

/** For emails that require a list. */
const listName = 'Subscribers'

const needsList = ({ onProjectCreation }: Template) =>
  onProjectCreation === 'set-as-triggered' || onProjectCreation === 'set-as-campaign'

/** Copies templates and design system, and creates emails from templates that request it. */
export const starterContent = (deps: StarterContentDeps) => {
  const { repositories, newId } = deps
  const withImages = imageCopies(deps)
  const { templates, designSystems, subscriberLists, campaigns, triggeredEmails, transactionalEmails } = repositories

  const emailOf = ({ name, subject, previewText, document }: Template, { _id, createdAt }: Project): EmailRecord => ({
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

  /** Before the project is stored: after a crash the copies belong to no project. */
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
