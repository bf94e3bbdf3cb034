import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bootstrapKey, idsIn, startBuiltServer, stopServer } from '../../tests/server-process.js'
import type { PythonTools } from './python-tools.js'
import { run } from './run.js'

const config = fileURLToPath(new URL('schemathesis.toml', import.meta.url))

/** Nothing leaves the machine: no worker sends, and names are looked up where nobody answers. */
const server = {
  POSTHORN_STORE: 'memory',
  POSTHORN_ROLES: 'api',
  POSTHORN_REQUEST_RATE: '100000',
  POSTHORN_REQUEST_BURST: '100000',
  POSTHORN_DNS_SERVERS: '127.0.0.1:9',
  POSTHORN_LOG_LEVEL: 'silent',
}

/** Paths of the audience, which are about as many, and take about as long, as all others. */
const audience = '/(contacts|subscriber-lists|signup-forms|segments|suppression-list|captcha|challenge)'

const tryHalf = async ({ program, env }: PythonTools, half: readonly string[]): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-openapi-'))
  const running = await startBuiltServer(directory, server)
  const found = { POSTHORN_PROJECT: idsIn(running.printed()).project, POSTHORN_KEY: bootstrapKey }
  const args = ['--config-file', config, 'run', `${running.base}/v1/openapi.json`, '--no-color', ...half]
  try {
    await run(program('schemathesis'), args, { cwd: directory, env: { ...env, ...found } })
  } finally {
    await stopServer(running)
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Sends the built server what its own description allows, and what it does not: two halves at the same time, each to a server of its
 * own, so that every run is the same.
 * @throws Error for every finding
 */
export const trySchemathesis = async (tools: PythonTools): Promise<void> => {
  const halves = await Promise.allSettled([
    tryHalf(tools, ['--include-path-regex', audience]),
    tryHalf(tools, ['--exclude-path-regex', audience]),
  ])
  for (const half of halves) if (half.status === 'rejected') throw half.reason
}
