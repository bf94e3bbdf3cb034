import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import express, { type Router } from 'express'
import { apiReferencePolicy } from './security-headers.js'

const assets = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthorn API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#reference', deepLinking: true, persistAuthorization: true, defaultModelsExpandDepth: 0 })
`

/** The browsable reference, served from the package: no request leaves this server. */
export const referencePages = (): Router => {
  const router = express.Router()
  router.use((_request, response, next) => {
    response.set({ 'Content-Security-Policy': apiReferencePolicy, 'Cache-Control': 'no-cache' })
    next()
  })
  router.get('/', (_request, response) => void response.type('html').send(page))
  router.get('/start.js', (_request, response) => void response.type('js').send(start))
  router.use('/assets', express.static(assets(), { index: false }))
  return router
}
