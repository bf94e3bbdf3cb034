import {
  GalleryImageMove,
  GalleryImageView,
  ImageUses,
  QueuedTestEmail,
  TemplateDocument,
  TestTemplate,
} from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const project = '/console/api/projectId/{projectId}'

export const templateContentRoutes = [
  route('get', `${project}/templates/{id}/document`, {
    id: 'getTemplateDocument',
    permission: 'project.read',
    success: [200, TemplateDocument],
    run: (core, { scope, params }) => core.templates.documentOf(scope, params.id),
  }),
  route('post', `${project}/templates/{id}/test`, {
    id: 'testTemplate',
    permission: 'emails.test',
    body: TestTemplate,
    success: [200, QueuedTestEmail],
    fails: ['blocked'],
    run: async (core, { scope, params, body }) => {
      const queued = await core.sends.testTemplate(scope, params.id, body)
      await core.people.audit.note(scope, { action: 'testTemplate', record: params.id })
      return queued
    },
  }),
  route('get', `${project}/gallery/images/{id}/uses`, {
    id: 'listGalleryImageUses',
    summary: 'List the contents of the project that show an image',
    permission: 'project.read',
    success: [200, ImageUses],
    weight: () => 20,
    run: (core, { scope, params }) => core.galleryImages.uses(scope, params.id),
  }),
  route('post', `${project}/gallery/images/{id}/move`, {
    id: 'moveGalleryImage',
    permission: 'content.edit',
    body: GalleryImageMove,
    success: [200, GalleryImageView],
    run: async (core, { scope, params, body }) => {
      const { parentFolderId: from } = await core.galleryImages.get(scope, params.id)
      const moved = await core.galleryImages.move(scope, params.id, body)
      const values = { before: { parentFolderId: from }, after: { parentFolderId: moved.parentFolderId } }
      await core.people.audit.note(scope, { action: 'moveGalleryImage', record: params.id, ...values })
      return moved
    },
  }),
]
