import { randomBytes } from 'node:crypto'
import { describe, inject } from 'vitest'
import { type Capability, required } from './server/capabilities.js'

const { name, url, can } = inject('mongo')

/** Why a suite that needs these capabilities cannot run; undefined where it can. */
const hindrance = (needs: readonly Capability[]): string | undefined => {
  if (url === undefined) return name
  const lacking = [...required, ...needs].filter((need) => !can.includes(need))
  return lacking.length > 0 ? `${name} has no ${lacking.join(', ')}` : undefined
}

/** A suite that needs a MongoDB server, and one with these capabilities; skipped by name and reason where it is not at hand. */
export const onMongoDB = (title: string, suite: () => void, ...needs: readonly Capability[]): void => {
  const reason = hindrance(needs)
  const note = reason ? ` (skipped: ${reason})` : ''
  describe.skipIf(reason)(`${title}${note}`, () => {
    suite()
  })
}

/** The address of a database on the server at hand: one that nothing was ever written to, unless named. */
export const databaseUrl = (database = `posthorn_test_${randomBytes(6).toString('hex')}`): string => {
  const [server = '', options] = (url ?? '').split('?')
  const hosts = server.replace(/(?<=\/\/[^/]*)\/.*$/, '')
  return `${hosts}/${database}${options ? `?${options}` : ''}`
}
