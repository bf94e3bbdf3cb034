import { randomBytes } from 'node:crypto'
import { describe, inject } from 'vitest'
import type { Capability } from './server/capabilities.js'

const { name, url, can } = inject('mongo')

/** A suite that needs a MongoDB server, and one with these capabilities; skipped by name and reason where it is not at hand. */
export const onMongoDB = (title: string, suite: () => void, ...needs: readonly Capability[]): void => {
  const lacking = needs.filter((need) => !can.includes(need))
  if (url === undefined) describe.skip(`${title} (skipped: ${name})`, suite)
  else if (lacking.length > 0) describe.skip(`${title} (skipped: ${name} has no ${lacking.join(', ')})`, suite)
  else describe(title, suite)
}

/** The address of a database on the server at hand: one that nothing was ever written to, unless named. */
export const databaseUrl = (database = `posthorn_test_${randomBytes(6).toString('hex')}`): string => {
  const [server = '', options] = (url ?? '').split('?')
  const hosts = server.replace(/(?<=\/\/[^/]*)\/.*$/, '')
  return `${hosts}/${database}${options ? `?${options}` : ''}`
}
