import { readFileSync, writeFileSync } from 'node:fs'
import { errorsDocument, openApiDocument, routes, routesDocument } from '@posthorn/http-express'

/** What is generated, and where it stands. `--check` says which is not current and changes nothing. */
const documents: Readonly<Record<string, string>> = {
  'docs/routes.md': routesDocument(routes),
  'docs/errors.md': errorsDocument(),
  'docs/openapi.json': `${JSON.stringify(openApiDocument(routes), null, 2)}\n`,
}

const at = (path: string) => new URL(`../${path}`, import.meta.url)
const current = (path: string) => {
  try {
    return readFileSync(at(path), 'utf8')
  } catch {
    return ''
  }
}

const stale = Object.entries(documents).filter(([path, text]) => current(path) !== text)
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is not current; run: npm run docs`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else for (const [path, text] of stale) writeFileSync(at(path), text)
