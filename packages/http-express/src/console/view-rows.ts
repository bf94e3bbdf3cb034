import {
  NoticeChanges,
  NoticeSettingsView,
  SavedViewChanges,
  SavedViewFields,
  SavedViewView,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { route } from '../route.js'

const notices = '/console/api/projectId/{projectId}/notices' as const
const views = '/console/api/projectId/{projectId}/views' as const

/** A person's own: they are not in the audit log. */
export const personalRoutes = [
  route('get', views, {
    id: 'listSavedViews',
    success: [200, z.object({ items: z.array(SavedViewView) })],
    run: async (core, { scope }) => ({ items: [...(await core.savedViews.list(scope))] }),
  }),
  route('post', views, {
    id: 'createSavedView',
    permission: 'project.read',
    body: SavedViewFields,
    success: [201, SavedViewView],
    fails: ['blocked', 'duplicate'],
    run: (core, { scope, body }) => core.savedViews.create(scope, body),
  }),
  route('patch', `${views}/{id}`, {
    id: 'renameSavedView',
    permission: 'project.read',
    body: SavedViewChanges,
    success: [200, SavedViewView],
    fails: ['duplicate'],
    run: (core, { scope, params, body }) => core.savedViews.rename(scope, params.id, body),
  }),
  route('delete', `${views}/{id}`, {
    id: 'deleteSavedView',
    permission: 'project.read',
    success: [200, SavedViewView],
    run: (core, { scope, params }) => core.savedViews.remove(scope, params.id),
  }),
  route('get', notices, {
    id: 'getNotices',
    success: [200, NoticeSettingsView],
    run: (core, { scope }) => core.noticeSettings.get(scope),
  }),
  route('patch', notices, {
    id: 'changeNotices',
    permission: 'project.read',
    body: NoticeChanges,
    success: [200, NoticeSettingsView],
    run: (core, { scope, body }) => core.noticeSettings.change(scope, body),
  }),
]
