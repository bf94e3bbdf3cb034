import { describe, expect, it } from 'vitest'
import { parseQueryString } from '../src/request.js'

const read = (text: string | null) => JSON.parse(JSON.stringify(parseQueryString(text)))

describe('the query of a URL', () => {
  it('is read as texts by key, with filters grouped by field', () => {
    expect(read('limit=5&filter[name]=A%20B&filter%5Bcity%5D=&sort=')).toEqual({
      limit: '5',
      sort: '',
      filter: { name: 'A B', city: '' },
    })
    expect(read('')).toEqual({})
  })

  it('is empty if the URL has none', () => {
    expect([read(null), parseQueryString(undefined)]).toEqual([{}, {}])
  })

  it('keeps every value of a repeated key', () => {
    expect(read('a=1&a=2&a=3&filter[b]=1&filter[b]=2')).toEqual({ a: ['1', '2', '3'], filter: { b: ['1', '2'] } })
  })

  it('treats brackets specially only in filters with one field', () => {
    const odd = ['limit[]', 'filter[]', 'filter[a][b]', 'filter[a][$ne]', 'filter[a', 'filter]a[', 'xfilter[a]', '[a]']
    for (const key of odd) expect(read(`${key}=1`)).toEqual({ [key]: '1' })
  })

  it('keeps a filter without a field as it is', () => {
    expect(read('filter=x&filter[a]=1')).toEqual({ filter: 'x' })
  })

  it('cannot reach a prototype', () => {
    const query = parseQueryString('__proto__=1&constructor=2&filter[__proto__]=3&filter[hasOwnProperty]=4')
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor', 'filter'])
    expect(Object.keys(query.filter as object)).toEqual(['__proto__', 'hasOwnProperty'])
    expect(Object.getPrototypeOf({}).admin).toBeUndefined()
  })

  it('survives broken percent-encoding', () => {
    expect(read('a=%&b=%ff&%zz=1')).toEqual({ a: '%', b: '\ufffd', '%zz': '1' })
  })
})
