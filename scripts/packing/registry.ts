import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

type Packed = { readonly name: string; readonly version: string }

const manifestIn = async (tarball: string): Promise<Packed> => {
  const { stdout } = await promisify(execFile)('tar', ['-xzOf', tarball, 'package/package.json'])
  return JSON.parse(stdout) as Packed
}

/** Serves a directory of tarballs on loopback as npm's registry would after they were published. For tests: it knows no other package. */
export const serveRegistry = async (directory: string) => {
  const documents = new Map<string, (base: string) => object>()
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.tgz'))) {
    const manifest = await manifestIn(join(directory, file))
    const integrity = `sha512-${createHash('sha512')
      .update(readFileSync(join(directory, file)))
      .digest('base64')}`
    documents.set(manifest.name, (base) => ({
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist: { tarball: `${base}/-/${file}`, integrity } } },
    }))
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '/').slice(1))
    const document = documents.get(path)
    if (document) return void response.end(JSON.stringify(document(`http://${request.headers.host}`)))
    const file = readdirSync(directory).find((name) => `-/${name}` === path)
    if (file !== undefined) return void response.end(readFileSync(join(directory, file)))
    response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
