import type { RequestHandler } from 'express'

export type AdapterPageRequest = { readonly method: string; readonly path: string; readonly query: URLSearchParams }
export type AdapterPageAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export const adapterPagesHandler =
  (pages: (request: AdapterPageRequest) => Promise<AdapterPageAnswer>): RequestHandler =>
  async ({ method, path, originalUrl }, response) => {
    const { status, headers, body } = await pages({
      method,
      path,
      query: new URL(originalUrl, 'http://localhost').searchParams,
    })
    response.status(status).set(headers)
    response.end(body)
  }
