import { MongoServerError, MongoServerSelectionError } from 'mongodb'

type Failure = { readonly message: string; readonly servers: number | undefined }

type Advice = { readonly if: (failure: Failure, url: string) => boolean; readonly say: string }

const asksForTls = (url: string) => /[?&](?:tls|ssl)=true/.test(url) || url.startsWith('mongodb+srv:')

/** Also for the server's rejections, by code: https://www.mongodb.com/docs/manual/reference/error-codes/ */
const advice: readonly Advice[] = [
  {
    if: ({ servers }, url) => servers === 0 && /[?&]replicaSet=/.test(url),
    say: 'No server of the address belongs to the replica set that its option replicaSet names. “rs.status().set” shows the name; a standalone server has none, so leave the option out',
  },
  {
    if: ({ message }, url) =>
      asksForTls(url) && /before secure TLS connection|wrong version number|packet length too long/.test(message),
    say: 'The address asks for TLS, and the server seems not to speak it on this port. Remove tls=true, or use the port for TLS',
  },
  {
    if: ({ message }, url) => !asksForTls(url) && /^connection .* closed$/.test(message),
    say: 'If the server accepts only TLS, add tls=true to the address',
  },
  {
    if: ({ message }) =>
      /self-signed certificate|unable to (?:verify|get)|certificate (?:has expired|is not yet)/.test(message),
    say: 'The server’s certificate is not trusted. Name the authority that signed it with tlsCAFile=<file>',
  },
  {
    if: ({ message }) => /does not match certificate/.test(message),
    say: 'The server’s certificate is for another name. Use a host name of the certificate in the address',
  },
]

const badCredentials =
  'Check user and password. A user that was created in another database than the address names needs authSource=<that database>, often authSource=admin'

/** What to change where the driver's words do not say it; undefined if they do. */
export const openingAdvice = (url: string, error: unknown): string | undefined => {
  if (error instanceof MongoServerError && error.code === 18) return badCredentials
  if (!(error instanceof MongoServerSelectionError)) return undefined
  const failure = { message: error.message, servers: error.reason?.servers.size }
  return advice.find((one) => one.if(failure, url))?.say
}
