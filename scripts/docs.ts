import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { errorsDocument, openApiDocument, routes, routesDocument } from '@posthorn/http-express'
import type { Document } from './client/operations.js'
import { clientSource } from './client/source.js'

const at = (path: string) => new URL(`../${path}`, import.meta.url)

const formatted = (path: string, text: string): string =>
  execFileSync(
    process.execPath,
    [fileURLToPath(at('node_modules/@biomejs/biome/bin/biome')), 'format', `--stdin-file-path=${path}`],
    {
      cwd: fileURLToPath(at('')),
      input: text,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  )

const openApi = openApiDocument(routes)
const client = 'packages/client/src/api.ts'

/** What is generated, and where it stands. `--check` says which is not current and changes nothing. */
const documents: Readonly<Record<string, string>> = {
  'docs/routes.md': routesDocument(routes),
  'docs/errors.md': errorsDocument(),
  'docs/openapi.json': `${JSON.stringify(openApi, null, 2)}\n`,
  [client]: formatted(client, clientSource(openApi as Document)),
}

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
