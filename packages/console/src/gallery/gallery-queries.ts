import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call, consoleBase } from '../api/client.js'
import { collectItems, maxPageSize } from '../api/records.js'
import type { GalleryFolder } from '../api/types.js'
import { useProject } from '../shell/session.js'

export const galleryPageSize = 24

const foldersIn = (projectId: string, folder: string, signal?: AbortSignal) =>
  collectItems((skip) =>
    call(projectId, 'get', '/gallery/folders', {
      query: { limit: maxPageSize, skip, sort: 'name', order: 'asc', ...(folder !== '' && { parentFolderId: folder }) },
      ...(signal && { signal }),
    }),
  )

/** `folder`: an id; empty: the top level. */
export const useGalleryFolders = (folder: string) => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'gallery', 'folders', folder],
    queryFn: ({ signal }) => foldersIn(projectId, folder, signal),
  })
}

export const useGalleryImages = (folder: string, skip: number) => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'gallery', 'images', folder, skip],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/gallery/images', {
        query: { limit: galleryPageSize, skip, ...(folder !== '' && { parentFolderId: folder }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
}

/** From the top to the folder. */
export const useFolderPath = (folder: string) => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'gallery', 'path', folder],
    queryFn: async ({ signal }) => {
      const path: GalleryFolder[] = []
      for (let id: string | null = folder; id; id = path[0]?.parentFolderId ?? null)
        path.unshift(await call(projectId, 'get', '/gallery/folders/{id}', { params: { id }, signal }))
      return path
    },
    enabled: folder !== '',
  })
}

const fileName = /\/([\w-]+\.(?:jpg|png|gif))$/

/** At this server: the console shows no images of other hosts. Undefined for URLs outside the gallery. */
export const imageSource = (url: string): string | undefined => {
  const name = fileName.exec(url)?.[1]
  return name && `${consoleBase.replace(/console$/, 'gallery')}/${name}`
}
