import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consolePages } from '../../src/console-pages.js'

const script = 'export const n = 1'
const compressed = gzipSync(script)

describe('scripts of the console', () => {
  const directory = mkdtempSync(join(tmpdir(), 'console-'))
  let server: Server
  beforeAll(async () => {
    mkdirSync(join(directory, 'assets'))
    writeFileSync(join(directory, 'assets', 'main-1.js'), script)
    writeFileSync(join(directory, 'assets', 'main-1.js.gz'), compressed)
    const app = express().use('/console', consolePages('http://localhost', directory))
    server = createServer(app.use((_request, response) => response.status(404).json({ gone: true })))
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })

  it('are linked with the styles of all modules that the first one needs, in their order', async () => {
    const manifest = {
      'src/main.tsx': {
        file: 'assets/main-1.js',
        isEntry: true,
        css: ['assets/main.css'],
        imports: ['_a.js', '_b.js'],
      },
      '_a.js': { file: 'assets/a.js', css: ['assets/a.css'], imports: ['_b.js'] },
      '_b.js': { file: 'assets/b.js', css: ['assets/b.css'], imports: ['src/main.tsx'] },
      'src/later.tsx': { file: 'assets/later.js', css: ['assets/later.css'] },
    }
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest))
    const page = String((await read('/console', undefined)).body)
    expect(
      [...page.matchAll(/<link rel="(stylesheet|modulepreload)" href="\/console\/assets\/([^"]+)">/g)].map(
        ([, , file]) => file,
      ),
    ).toEqual(['b.css', 'a.css', 'main.css', 'b.js', 'a.js'])
    expect(page).toContain('<script type="module" src="/console/assets/main-1.js"></script>')
  })

  const read = async (path: string, encodings: string | undefined) => {
    const { port } = server.address() as AddressInfo
    const headers = encodings === undefined ? {} : { 'accept-encoding': encodings }
    const [response] = (await once(get({ port, path, headers }), 'response')) as [IncomingMessage]
    const body = Buffer.concat(await response.toArray())
    return { status: response.statusCode, headers: response.headers, body }
  }

  it.each(['gzip', 'br, gzip;q=0.5', '*'])('are sent compressed to those who accept “%s”', async (encodings) => {
    const { status, headers, body } = await read('/console/assets/main-1.js?v=1', encodings)
    expect({ status, body }).toEqual({ status: 200, body: compressed })
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
  })

  it.each([undefined, 'identity', 'gzip;q=0', 'br'])('are sent plain to those who accept “%s”', async (encodings) => {
    const { status, headers, body } = await read('/console/assets/main-1.js', encodings)
    expect({ status, body: String(body) }).toEqual({ status: 200, body: script })
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers.vary).toBe('Accept-Encoding')
  })

  it.each(['/console/assets/main-2.js', '/console/assets/..%2Fmanifest.js'])(
    'have no answer for %s, compressed or not',
    async (path) => {
      const { headers, body } = await read(path, 'gzip')
      expect(headers['content-encoding']).toBeUndefined()
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(String(body)).toBe('{"gone":true}')
    },
  )
})
