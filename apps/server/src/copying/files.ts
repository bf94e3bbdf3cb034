import type { Files } from '@posthorn/core/ports'
import type { CopiedStore, Ends } from './stores.js'

/** The keys of the files that the records of an owner name: images, and what is attached to dispatches. */
const keysOf = async function* ({ repositories }: CopiedStore, treeId: string): AsyncGenerator<string> {
  for await (const { file } of repositories.galleryImages.each({ treeId })) yield file
  for await (const { attachments = [] } of repositories.dispatches.each({ projectId: treeId }))
    for (const { file } of attachments) yield file
}

/** Every file that the store names for the owner, with its key, as `files` has it. Attachments of a dispatch that has ended are gone. */
export const filesOf = async function* (from: CopiedStore, owner: string, files: Files): AsyncGenerator<Uint8Array> {
  for await (const key of keysOf(from, owner)) {
    const bytes = await files.get(key)
    if (bytes) yield Buffer.concat([Buffer.from(`${key}\0`), bytes])
  }
}

export const copyFiles = async ({ from, to }: Ends, owner: string): Promise<void> => {
  for await (const key of keysOf(from, owner)) {
    const bytes = await from.files.get(key)
    const there = bytes && (await to.files.get(key))
    if (bytes && !(there && Buffer.compare(there, bytes) === 0)) await to.files.put(key, bytes)
  }
}
