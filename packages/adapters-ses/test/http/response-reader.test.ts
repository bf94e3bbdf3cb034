import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { httpResponseReader } from '../../src/http/response-reader.js'

const read = (text: string, reader = httpResponseReader()) => reader.read(Buffer.from(text, 'latin1'))

const json = '{"MessageId":"0102018f"}'
const counted = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`
const chunked = `HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\nx-amzn-ErrorType: MessageRejected\r\n\r\n5;a=b\r\n{"mes\r\nB\r\nsage":"No"}\r\n0\r\nTrailer: x\r\n\r\n`

describe('a response', () => {
  it.each([
    ['with its length', counted, 200, json],
    ['in chunks', chunked, 400, '{"message":"No"}'],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['after an interim one', `HTTP/1.1 100 Continue\r\n\r\n${counted}`, 200, json],
  ])('%s is parsed however it is split', (_, text, status, body) => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const reader = httpResponseReader()
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const answers = places.slice(1).map((end, i) => read(text.slice(places[i], end), reader))
        expect(answers.findLast((one) => one !== undefined)?.body.toString()).toBe(body)
        expect(answers.filter((one) => one !== undefined).map((one) => one.status)).toEqual([status])
        expect(read(counted, reader)?.body.toString()).toBe(json)
      }),
    )
  })

  it('without a length ends with its connection', () => {
    const reader = httpResponseReader()
    expect(read('HTTP/1.1 502 Bad Gateway\r\n\r\nno', reader)).toBeUndefined()
    expect(read('body', reader)).toBeUndefined()
    expect(reader.ended()).toMatchObject({ status: 502, body: Buffer.from('nobody'), reusableFor: 0 })
  })

  it('that is cut off is incomplete', () => {
    const reader = httpResponseReader()
    read(counted.slice(0, -1), reader)
    expect(reader.ended()).toBeUndefined()
  })

  it.each([
    ['', undefined],
    ['Connection: close\r\n', 0],
    ['Connection: keep-alive\r\nKeep-Alive: timeout=5, max=100\r\n', 4_000],
    ['Keep-Alive: timeout=0\r\n', 0],
  ])('says how long its connection may be reused: %j', (headers, milliseconds) => {
    expect(read(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${headers}\r\n`)?.reusableFor).toBe(milliseconds)
    expect(read(`HTTP/1.0 200 OK\r\nContent-Length: 0\r\n${headers}\r\n`)?.reusableFor).toBe(0)
    expect(read(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${headers}\r\nmore`)?.reusableFor).toBe(0)
  })

  it.each([
    ['of something else', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['of another protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['with a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['with a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['in an encoding that is not known', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['in chunks of no size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'],
    ['in chunks that end elsewhere', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n'],
    ['whose length is more than a mebibyte', 'HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n'],
    ['whose chunk is', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n'],
    ['that never ends', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_048_577)}`],
    ['whose head never ends', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(4_000)}`],
    ['whose chunk’s line never ends', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(2_000)}`],
  ])('%s is rejected', (_, text) => {
    expect(() => read(text)).toThrow(/^The response /)
  })
})
