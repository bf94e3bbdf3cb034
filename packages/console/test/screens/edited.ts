import type { APIResponse, Page, Route } from 'playwright-core'

/** What the server answers; Playwright leaves out the header by which the server knows its own page. */
export const fetched = (route: Route): Promise<APIResponse> =>
  route.fetch({ maxRetries: 2, headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } })

type Edit = (result: Record<string, unknown>, url: URL) => unknown

const edits = new WeakMap<Page, [path: RegExp, edit: Edit][]>()

/** Changes what the server answers to calls whose path below the project matches; later changes apply to the result of earlier ones. */
export const edited = async (page: Page, path: RegExp, edit: Edit): Promise<void> => {
  const known = edits.get(page)
  if (known) return void known.push([path, edit])
  const all: [RegExp, Edit][] = [[path, edit]]
  edits.set(page, all)
  await page.route(/\/console\/api\/(projectId|operator)\//, async (route) => {
    const url = new URL(route.request().url())
    const below = url.pathname.replace(/^.*\/console\/api(\/projectId\/\w+)?/, '')
    const matching = all.filter(([pattern]) => pattern.test(below))
    const response = await fetched(route)
    // Undefined if the page has been closed meanwhile.
    const text = await response.text().catch(() => undefined)
    if (text === undefined) return
    if (matching.length === 0 || !response.ok() || !text.startsWith('{')) return route.fulfill({ response })
    const body = JSON.parse(text) as { readonly result: Record<string, unknown> }
    const result = matching.reduce<unknown>((is, [, change]) => change(is as Record<string, unknown>, url), body.result)
    await route.fulfill({ response, json: { ...body, result } })
  })
}
