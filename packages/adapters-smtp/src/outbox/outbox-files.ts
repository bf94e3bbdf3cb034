import { createHash } from 'node:crypto'
import { dispatchOf } from '@posthorn/core/ports/storage'

/** Folder of incomplete files; the leading dot distinguishes it from shards. */
export const unfinished = '.unfinished'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * The id of a delivery's mail: 32 hexadecimal digits, always the same for a delivery. The first two name its folder, one of 256: one digit
 * by dispatch and one by delivery, so that a campaign's batch touches 16 folders and no folder gets a whole campaign.
 */
export const mailIdOf = (deliveryId: string): string =>
  hash(dispatchOf(deliveryId)).slice(0, 1) + hash(deliveryId).slice(0, 31)

/** Whether a text is a mail id, which cannot lead outside the outbox. */
export const isMailId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

export const isFolder = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

export const folderOf = (id: string): string => id.slice(0, 2)

const ending = '.eml'

export const fileNameOf = (id: string): string => `${id}${ending}`

/** The mail id of a file; undefined for foreign files. */
export const idOfFile = (folder: string, name: string): string | undefined => {
  const id = name.slice(0, -ending.length)
  return name.endsWith(ending) && isMailId(id) && folderOf(id) === folder ? id : undefined
}
