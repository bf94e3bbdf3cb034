import type { Core } from '@posthorn/core'
import { imageTypes, type ServedImage } from '@posthorn/core/ports'
import type { RequestHandler } from 'express'
import type { AnswerBudget } from './admission/answer-budget.js'
import { strangerOwner } from './admission/owner.js'

/** The name under which a browser would save the image: its extension is that of its type, whatever the image is called. */
const savedAs = ({ name, contentType }: ServedImage) =>
  `${name.replace(/\.(?:jpe?g|png|gif)$/i, '')}.${imageTypes[contentType].extension}`

/** RFC 6266: one form for an ASCII name; else its ASCII likeness beside the name itself in UTF-8. */
const disposition = (name: string) => {
  const ascii = name.replace(/[^\w .-]/g, '_')
  if (ascii === name) return `inline; filename="${ascii}"`
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `inline; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const readAtOnce = 8

/** Runs so many at the same time, and the others in the order in which they came. */
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
 * Answers the image at a public address of the gallery. Its type is the one that its bytes were found to be; no browser takes it
 * for a page or runs anything in it; mails and pages of every site may show it; a copy may be kept, as an address never means
 * other bytes. Anybody asks, as often as they like, and may take nothing of it: how much is in memory for one address and for all is
 * bounded, and so is how many are read at the same time, as how large one is is known only then.
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
