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
import { findRecordOfEarlierRequest, resourceRoutes } from '../resource-routes.js'
import { listResponseOf, route } from '../route.js'

const path = '/v1/projectId/{projectId}/gallery'

const galleryName = z.string().meta({ description: 'Name of the gallery: that of the project' })

export const galleryRoutes = [
  route('get', `${path}/folders`, {
    id: 'listGalleryFolders',
    query: GalleryQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(GalleryFolderView.shape, query),
    success: [200, listResponseOf(GalleryFolderView).extend({ galleryName })],
    paginated: true,
    fails: ['not-found'],
    run: (core, { scope, query }) => core.galleryFolders.list(scope, query),
  }),
  ...resourceRoutes({
    noun: 'GalleryFolder',
    path: 'gallery/folders',
    view: GalleryFolderView,
    fields: GalleryFolderFields,
    changes: GalleryFolderChanges,
    fails: { create: ['not-found'] },
    verbs: ['create', 'get', 'update', 'remove'],
    of: (core) => core.galleryFolders,
  }),
  route('get', `${path}/images`, {
    id: 'listGalleryImages',
    query: GalleryQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(GalleryImageView.shape, query),
    success: [200, listResponseOf(GalleryImageView).extend({ galleryName })],
    paginated: true,
    fails: ['not-found'],
    run: (core, { scope, query }) => core.galleryImages.list(scope, query),
  }),
  route('post', `${path}/images`, {
    id: 'uploadGalleryImage',
    body: GalleryImageFields,
    upload: { part: 'image', types: 'image/jpeg, image/png, image/gif' },
    success: [201, GalleryImageView],
    fails: ['not-found'],
    run: (core, { scope, body }) => core.galleryImages.upload(scope, body),
    made: (core, { scope }) => findRecordOfEarlierRequest(core.galleryImages, scope),
  }),
  ...resourceRoutes({
    noun: 'GalleryImage',
    path: 'gallery/images',
    view: GalleryImageView,
    fields: GalleryImageFields,
    changes: GalleryImageChanges,
    verbs: ['get', 'update', 'remove'],
    of: (core) => core.galleryImages,
  }),
]
