/** Groups items into pages of that size; the last one may be shorter. */
export const pages = async function* <T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let page: T[] = []
  for await (const item of items) {
    page.push(item)
    if (page.length < size) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
