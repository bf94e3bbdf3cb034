import type { Core } from '@posthorn/core'
import { imageTypes, type ServedImage } from '@posthorn/core/ports/transport'
import type { RequestHandler } from 'express'
import type { AnswerBudget } from './admission/byte-budgets.js'
import { strangerOwner } from './admission/owner.js'

/** File name for saving the image: its extension follows the content type, whatever the name of the image has. */
const savedAs = ({ name, contentType }: ServedImage) =>
  `${name.replace(/\.(?:jpe?g|png|gif)$/i, '')}.${imageTypes[contentType].extension}`

/** RFC 6266: one form for an ASCII name; otherwise an ASCII approximation and the name itself in UTF-8. */
const disposition = (name: string) => {
  const ascii = name.replace(/[^\w .-]/g, '_')
  if (ascii === name) return `inline; filename="${ascii}"`
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `inline; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const readAtOnce = 8

/** Runs at most `atOnce` tasks concurrently, the others in order of arrival. */
const turns = (atOnce: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running += 1
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/**
 * Serves a gallery image at its public address. Its content type was detected from its bytes; browsers run nothing in it; mails and pages
 * of every site may embed it; caches may keep it, as an address never changes its bytes. Anybody may request images and never read the
 * responses. So the memory per address block and in total is bounded, and so is the number of concurrent reads, because the size of an
 * image is known only after its read.
 */
export const galleryFile =
  (core: Core, budget: AnswerBudget, turn = turns(readAtOnce)): RequestHandler<{ readonly file: string }> =>
  async (request, response) => {
    const { file } = request.params
    const image = await turn(async () => {
      if (response.closed) return
      const read = await core.galleryImages.served(file)
      budget.take(response, strangerOwner(request), read.bytes.length)
      return read
    })
    if (!image) return
    response.set({
      'Content-Type': image.contentType,
      'Content-Disposition': disposition(savedAs(image)),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'public, max-age=31536000, immutable',
      ETag: `"${file}"`,
    })
    response.send(image.bytes)
  }
