import { fileURLToPath } from 'node:url'
import type { Core } from '@posthorn/core'
import { imageTypes, type ServedImage } from '@posthorn/core/ports/transport'
import express, { type RequestHandler } from 'express'
import type { ResponseMemoryBudget } from './admission/byte-budgets.js'
import { strangerRequestOwner } from './admission/owner.js'

/** By content type, whatever the name says. */
const savedAs = ({ name, contentType }: ServedImage) =>
  `${name.replace(/\.(?:jpe?g|png|gif)$/i, '')}.${imageTypes[contentType].extension}`

/** RFC 6266, with an ASCII approximation. */
const disposition = (name: string) => {
  const ascii = name.replace(/[^\w .-]/g, '_')
  if (ascii === name) return `inline; filename="${ascii}"`
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `inline; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const readAtOnce = 8

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

/** Public, embeddable and cacheable: its bytes never change. Bounds memory and reads, because anybody may request images. */
export const galleryFile =
  (core: Core, budget: ResponseMemoryBudget, turn = turns(readAtOnce)): RequestHandler<{ readonly file: string }> =>
  async (request, response) => {
    const { file } = request.params
    const image = await turn(async () => {
      if (response.closed) return
      const read = await core.galleryImages.served(file)
      budget.take(response, strangerRequestOwner(request), read.bytes.length)
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

const icons = fileURLToPath(new URL('../icons', import.meta.url))

/** Icons of social networks, carousels and accordions in visual emails. MJML's own are on other hosts. */
export const iconFiles = (): RequestHandler =>
  express.static(icons, {
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: (response) => {
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
      response.setHeader('Cache-Control', 'public, max-age=604800')
    },
  })
