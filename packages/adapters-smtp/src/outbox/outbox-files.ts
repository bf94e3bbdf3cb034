import { createHash } from 'node:crypto'
import { dispatchOf } from '@posthorn/core/ports/storage'

/** The leading dot distinguishes it from shards. */
export const unfinished = '.unfinished'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * 32 hexadecimal digits, the same for each attempt. The first two name one of 256 folders, one digit by dispatch and
 * one by delivery: a campaign's batch touches 16 folders, and no folder gets a whole campaign.
 */
export const mailIdOf = (deliveryId: string): string =>
  hash(dispatchOf(deliveryId)).slice(0, 1) + hash(deliveryId).slice(0, 31)

/** Such a text cannot lead outside the outbox. */
export const isMailId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

export const isFolder = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

export const folderOf = (id: string): string => id.slice(0, 2)

const ending = '.eml'

export const fileNameOf = (id: string): string => `${id}${ending}`

/** Undefined for foreign files. */
export const idOfFile = (folder: string, name: string): string | undefined => {
  const id = name.slice(0, -ending.length)
  return name.endsWith(ending) && isMailId(id) && folderOf(id) === folder ? id : undefined
}
