import { z } from 'zod'
import type { CooperativeQueue } from '../kernel/cooperative-queue.js'
import { concurrencyLimiter } from '../kernel/limiter.js'
import { notFound } from '../kernel/refusal.js'
import type { RepositoriesFor, Repository } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id, type InProject } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import type { GalleryFolder } from './folder.js'
import { galleryAccess } from './gallery-access.js'
import type { GalleryImage } from './image.js'

const imageUseKinds = [
  'campaign',
  'triggered',
  'transactional',
  'template',
  'signup-form',
  'design-system',
  'project',
] as const

/** Per kind of content; the newest. */
const mostSearched = 1_000
/** In UTF-16 code units of JSON, of all content together. */
const mostCharacters = 20_000_000
/** Small, because documents are large. */
const pageSize = 4
/** A search holds a page in memory. */
const searchesAtOnce = { total: 4, perOwner: 1, waiting: 20 }
const mostShown = 100

const ImageUse = z.object({
  kind: z.enum(imageUseKinds).describe('What uses it; project: its logo'),
  _id: Id,
  name: z.string().describe('Name of the content; empty for a design system'),
})
export type ImageUse = z.output<typeof ImageUse>

export const ImageUses = z
  .object({
    items: z.array(ImageUse).describe(`At most ${mostShown}, by kind, the newest first`),
    count: z.int().describe('Number of contents that use it'),
    isComplete: z
      .boolean()
      .describe(
        `False if older content was not searched: of each kind, the newest ${mostSearched} are, and ${mostCharacters} characters of all`,
      ),
    isShared: z
      .boolean()
      .describe('Whether other projects of the account may use it, too: their content is not searched'),
  })
  .meta({ id: 'ImageUses' })
export type ImageUses = z.output<typeof ImageUses>

type Content = InProject & { readonly name?: string; readonly createdAt: string }
type Contents = Pick<Repository<Content>, 'list'>

type Deps = {
  readonly large: CooperativeQueue
  readonly repositories: RepositoriesFor<{
    projects: Project
    galleryFolders: GalleryFolder
    galleryImages: GalleryImage
  }> & {
    readonly [K in
      | 'campaigns'
      | 'triggeredEmails'
      | 'transactionalEmails'
      | 'templates'
      | 'signupForms'
      | 'designSystems']: Contents
  }
}

/**
 * Where a project shows an image. The random name of its file is searched for in the whole stored content, so it is found behind every
 * host name, in each kind of document and in each field.
 */
export const imageUses = ({ repositories, large }: Deps) => {
  const { projects, galleryImages, campaigns, triggeredEmails, transactionalEmails, templates } = repositories
  const { visible } = galleryAccess(repositories)
  const searches = concurrencyLimiter(searchesAtOnce)
  const searched: readonly (readonly [ImageUse['kind'], Contents])[] = [
    ['campaign', campaigns],
    ['triggered', triggeredEmails],
    ['transactional', transactionalEmails],
    ['template', templates],
    ['signup-form', repositories.signupForms],
    ['design-system', repositories.designSystems],
  ]

  const searchFor = async (scope: Scope, id: string, project: Project): Promise<ImageUses> => {
    const { projectId } = scope
    const { file, treeId } = await visible(galleryImages, scope, id)
    const sought = file.slice(file.lastIndexOf('/') + 1)
    const found: ImageUse[] = []
    let isComplete = true
    let left = mostCharacters

    const search = async (kind: ImageUse['kind'], contents: Contents): Promise<void> => {
      for (let skip = 0; ; skip += pageSize) {
        if (skip >= mostSearched || left <= 0) {
          isComplete = false
          return
        }
        const { items, count } = await contents.list({
          where: { projectId },
          sort: { by: 'createdAt', order: 'desc' },
          skip,
          limit: pageSize,
        })
        for (const one of items) {
          const text = await large.step(projectId, () => JSON.stringify(one))
          left -= text.length
          if (text.includes(sought)) found.push({ kind, _id: one._id, name: one.name ?? '' })
        }
        if (skip + pageSize >= count) return
      }
    }
    for (const [kind, contents] of searched) await search(kind, contents)

    if (project.logoUrl?.includes(sought)) found.push({ kind: 'project', _id: projectId, name: project.name })
    return { items: found.slice(0, mostShown), count: found.length, isComplete, isShared: treeId !== projectId }
  }

  /** An account searches once at a time. @throws Refusal `not-found`, `busy` if too many of its searches wait */
  return async (scope: Scope, id: string): Promise<ImageUses> => {
    const project = await projects.get({ _id: scope.projectId })
    if (!project) throw notFound('Project')
    return searches.run(project.accountId, () => searchFor(scope, id, project))
  }
}
