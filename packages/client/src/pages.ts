export interface Page<T> {
  items: T[]
  /** Number of matching items on all pages. */
  count: number
  /** URL of the next page; null on the last page. */
  next: string | null
}

/** `next` of a list that continues behind an item is a cursor, for `after`. */
type AnyPage = { readonly items: readonly unknown[]; readonly next?: string | null | undefined }

/**
 * `await` gives one page; `for await` walks the items of all pages. If records are created or deleted during the walk, items may come twice or not at
 * all: first collect what you want to delete.
 */
export interface Pages<P extends AnyPage> extends Promise<P>, AsyncIterable<P['items'][number]> {
  pages(): AsyncIterable<P>
}

export type Query = Readonly<Record<string, unknown>>

/** `{ filter: { status: 'sent' } }` becomes `filter[status]=sent`; undefined is left out. */
export const searchOf = (query: Query): URLSearchParams => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object' && value !== null) {
      for (const [field, one] of Object.entries(value)) if (one !== undefined) search.set(`${name}[${field}]`, `${one}`)
    } else if (value !== undefined) search.set(name, `${value as string | number | boolean | null}`)
  }
  return search
}

/** The API's largest page. */
const largestPage = 30

/** Behind a proxy, the server's URL may differ from `baseUrl`: only its query counts. */
const queryAfter = (next: string, query: Query): URLSearchParams =>
  URL.canParse(next) ? new URL(next).searchParams : searchOf({ ...query, after: next })

/** `read` gets the query of a page. Nothing is read before the list is awaited or walked. */
export const pagesOf = <P extends AnyPage>(
  query: Query,
  hasLimit: boolean,
  read: (query: URLSearchParams) => Promise<P>,
): Pages<P> => {
  let first: Promise<P> | undefined
  const page = () => {
    first ??= read(searchOf(query))
    return first
  }
  async function* pages(): AsyncGenerator<P> {
    const whole = { ...(hasLimit && { limit: largestPage }), ...query }
    let search: URLSearchParams | undefined = searchOf(whole)
    while (search) {
      const one: P = await read(search)
      yield one
      search = one.next ? queryAfter(one.next, whole) : undefined
    }
  }
  async function* items(): AsyncGenerator<P['items'][number]> {
    for await (const { items: those } of pages()) yield* those as readonly P['items'][number][]
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is the promise of its first page.
    then: (onPage, onError) => page().then(onPage, onError),
    catch: (onError) => page().catch(onError),
    finally: (onEnd) => page().finally(onEnd),
    pages,
    [Symbol.asyncIterator]: items,
    [Symbol.toStringTag]: 'Pages',
  }
}
