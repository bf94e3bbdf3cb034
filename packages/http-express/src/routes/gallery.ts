import {
  GalleryFolderChanges,
  GalleryFolderFields,
  GalleryFolderView,
  GalleryImageChanges,
  GalleryImageFields,
  GalleryImageView,
  GalleryQuery,
  listQueryViolations,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { madeBy, resourceRoutes } from '../resource-routes.js'
import { listOf, route } from '../route.js'

const path = '/v1/projectId/{projectId}/gallery'

const galleryName = z.string().meta({ description: 'Name of the gallery: that of the project' })

export const galleryRoutes = [
  route({
    id: 'listGalleryFolders',
    summary: 'List gallery folders',
    method: 'get',
    path: `${path}/folders`,
    auth: 'api-key',
    query: GalleryQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(GalleryFolderView.shape, query),
    success: [200, listOf(GalleryFolderView).extend({ galleryName })],
    paginated: true,
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, query }) => core.galleryFolders.list(scope, query),
  }),
  ...resourceRoutes({
    noun: 'GalleryFolder',
    plural: 'GalleryFolders',
    called: 'gallery folder',
    path: 'gallery/folders',
    view: GalleryFolderView,
    fields: GalleryFolderFields,
    changes: GalleryFolderChanges,
    fails: { create: ['not-found'] },
    verbs: ['create', 'get', 'update', 'remove'],
    of: (core) => core.galleryFolders,
  }),
  route({
    id: 'listGalleryImages',
    summary: 'List gallery images',
    method: 'get',
    path: `${path}/images`,
    auth: 'api-key',
    query: GalleryQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(GalleryImageView.shape, query),
    success: [200, listOf(GalleryImageView).extend({ galleryName })],
    paginated: true,
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, query }) => core.galleryImages.list(scope, query),
  }),
  route({
    id: 'uploadGalleryImage',
    summary: 'Upload a gallery image',
    method: 'post',
    path: `${path}/images`,
    auth: 'api-key',
    body: GalleryImageFields,
    upload: { part: 'image', types: 'image/jpeg, image/png, image/gif' },
    success: [201, GalleryImageView],
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, body }) => core.galleryImages.upload(scope, body),
    made: (core, { scope }) => madeBy(core.galleryImages, scope),
  }),
  ...resourceRoutes({
    noun: 'GalleryImage',
    plural: 'GalleryImages',
    called: 'gallery image',
    path: 'gallery/images',
    view: GalleryImageView,
    fields: GalleryImageFields,
    changes: GalleryImageChanges,
    verbs: ['get', 'update', 'remove'],
    of: (core) => core.galleryImages,
  }),
]
