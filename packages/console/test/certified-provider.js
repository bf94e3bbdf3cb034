import { createServer } from 'node:http'
import Provider from 'oidc-provider'

/**
 * Somebody at the provider, whose login is their subject.
 * @typedef {{ email: string, email_verified: boolean, name: string, groups: readonly string[] }} Claims
 */

/**
 * `oidc-provider`, a certified OpenID Connect provider, with its own pages: any password signs in, and the person consents.
 * @param {number} port
 * @param {{ client_id: string, client_secret: string, redirect_uris: string[] }} client
 * @param {ReadonlyMap<string, Claims>} people
 * @returns {Promise<{ issuer: string, close: () => Promise<void> }>}
 */
export const certifiedProvider = async (port, client, people) => {
  const issuer = `http://localhost:${port}`
  const provider = new Provider(issuer, {
    clients: [client],
    cookies: { keys: ['known to everybody'] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    findAccount: (_context, login) => ({ accountId: login, claims: () => ({ sub: login, ...people.get(login) }) }),
  })
  const server = createServer(provider.callback())
  await new Promise((listening) => server.listen(port, '127.0.0.1', () => listening(undefined)))
  return {
    issuer,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
