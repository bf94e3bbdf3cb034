import { fileURLToPath } from 'node:url'
import express, { type Router } from 'express'
import { z } from 'zod'
import type { Route } from '../route.js'
import { apiReferencePolicy } from '../security-headers.js'
import { type Description, referencePage } from './page.js'

const assets = fileURLToPath(new URL('../../assets', import.meta.url))

/** This server generates the document, so a shallow check suffices. */
const Described = z.custom<Description>((value) => typeof value === 'object' && value !== null && 'paths' in value)

/** Serves the API reference, which is rendered at the first request; no page loads anything from another server. */
export const referencePages = (routes: readonly Route[], description: object, publicUrl: string): Router => {
  let page: Buffer | undefined
  const router = express.Router()
  router.use((_request, response, next) => {
    response.set({ 'Content-Security-Policy': apiReferencePolicy, 'Cache-Control': 'no-cache' })
    next()
  })
  router.get('/', (_request, response) => {
    page ??= Buffer.from(referencePage(routes, Described.parse(description), publicUrl))
    response.type('html').send(page)
  })
  router.use(express.static(assets, { index: false, redirect: false }))
  return router
}
