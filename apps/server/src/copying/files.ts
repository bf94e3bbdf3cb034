import type { Files } from '@posthorn/core/ports/runtime'
import { linkFolder } from '@posthorn/core/ports/storage'
import { type CopyEnds, type CopySource, inPages } from './stores.js'

/** Images, and attachments and feeds of dispatches. */
export const storedFileKeys = async function* ({ repositories }: CopySource, treeId: string): AsyncGenerator<string> {
  for await (const { file } of repositories.galleryImages.each({ treeId })) yield file
  for await (const { attachments = [], feeds } of repositories.dispatches.each({ projectId: treeId })) {
    for (const { file } of attachments) yield file
    if (feeds?.kept) yield feeds.kept.file
  }
}

/** Attachments of finished dispatches no longer exist. */
export const storedFilesForChecksum = async function* (
  from: CopySource,
  owner: string,
  files: Pick<Files, 'get'>,
): AsyncGenerator<Uint8Array> {
  for await (const key of storedFileKeys(from, owner)) {
    const bytes = await files.get(key)
    if (bytes) yield Buffer.concat([Buffer.from(`${key}\0`), bytes])
  }
}

/** Files written at once. */
const atOnce = 8

/** Links in sent mails must keep working. Tables belong to no owner, so every project copies all. */
export const copyLinkTables = async ({ from, to }: CopyEnds): Promise<void> => {
  const there = new Set<string>()
  const wanted = (key: string) => {
    there.add(key)
    return false
  }
  for await (const _ of to.files.each(linkFolder, { wanted }));
  const missing = from.files.each(linkFolder, { wanted: (key) => !there.has(key) })
  for await (const page of inPages(missing, atOnce))
    await Promise.all(page.map(({ key, bytes }) => to.files.put(key, bytes)))
}

export const copyFiles = async ({ from, to }: CopyEnds, owner: string): Promise<void> => {
  for await (const key of storedFileKeys(from, owner)) {
    const bytes = await from.files.get(key)
    const there = bytes && (await to.files.get(key))
    if (bytes && !(there && Buffer.compare(there, bytes) === 0)) await to.files.put(key, bytes)
  }
}
