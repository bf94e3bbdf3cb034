import type { World } from '../world.js'

export type Seen<R = Record<string, unknown>> = {
  readonly status: number
  readonly result: R
  readonly error: { readonly name: string; readonly message: string; readonly code?: string } | undefined
  readonly headers: Headers
}

/** A browser with a cookie of its own, on a page of the console. */
export const consoleBrowser = (
  base: string,
  page: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
) => {
  let cookie = ''
  return {
    cookie: () => cookie,
    take: (other: string) => {
      cookie = other
    },
    call: async <R = Record<string, never>>(
      method: string,
      path: string,
      body?: unknown,
      headers: Readonly<Record<string, string>> = page,
    ): Promise<Seen<R>> => {
      const response = await fetch(`${base}/console/api${path}`, {
        method,
        headers: {
          ...(cookie !== '' && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const set = response.headers.get('set-cookie')
      if (set) cookie = set.split(';')[0] ?? ''
      const text = await response.text()
      const { result, error } = text.startsWith('{') ? JSON.parse(text) : { result: text, error: undefined }
      return { status: response.status, result, error, headers: response.headers }
    },
  }
}
export type ConsoleBrowser = ReturnType<typeof consoleBrowser>

export const tokenIn = (url: string | undefined): string => url?.split('#')[1] ?? ''

export const password = 'correct horse battery'

/** The first owner, signed in. */
export const anOwner = async ({ core, client }: World): Promise<ConsoleBrowser> => {
  const browser = consoleBrowser(client.base)
  const token = tokenIn(await core.people.setupLink())
  await browser.call('POST', '/setup', { token, email: 'olga@example.com', name: 'Olga', password })
  return browser
}
