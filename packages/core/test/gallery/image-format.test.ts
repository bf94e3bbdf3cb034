import { Refusal } from '@posthorn/core'
import type { ImageType } from '@posthorn/core/ports/transport'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleImages } from '../../../../tests/corpora/images.js'
import { checkedImage } from '../../src/gallery/image-format.js'

const every = Object.entries(sampleImages) as readonly (readonly [ImageType, Uint8Array])[]
const text = (words: string) => new TextEncoder().encode(words)
const binary = (letters: string) => Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))
const notAllowed = (type: string) =>
  `Mime type '${type}' not allowed! Allowed mime types are: image/jpeg,image/png,image/gif`

const outcome = (check: () => unknown): unknown => {
  try {
    check()
    return 'taken'
  } catch (error) {
    return error instanceof Refusal ? error.kind : error
  }
}

describe('an image file', () => {
  it.each(every)('has the type of its bytes, whatever the client declares: %s', (contentType, bytes) => {
    for (const declared of ['image/png', 'text/html', 'image/svg+xml', '', 'x'])
      expect(checkedImage(bytes, declared)).toEqual({ contentType, bytes })
  })

  it.each(every)('is rejected if truncated anywhere: %s', (contentType, bytes) => {
    const lastNeeded = contentType === 'image/gif' ? bytes.length - 1 : bytes.length
    for (let length = 0; length < lastNeeded; length += 1)
      expect(() => checkedImage(bytes.subarray(0, length), contentType)).toThrow(/not complete|not allowed/)
  })

  it('is complete without a GIF’s trailer', () => {
    const gif = sampleImages['image/gif'].slice(0, -1)
    expect(checkedImage(gif, '').bytes).toEqual(gif)
  })

  it.each(every)('is cut at its end: %s', (contentType, bytes) => {
    const followers = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.constantFrom('<script>alert(1)</script>', 'PK\x03\x04', '<svg onload="alert(1)"/>').map(text),
      fc.constant(bytes),
    )
    fc.assert(
      fc.property(followers, (after) => {
        expect(checkedImage(joined(bytes, after), contentType).bytes).toEqual(bytes)
      }),
    )
  })

  it.each(every)('with changed bytes is accepted or rejected, but never fails: %s', (_, bytes) => {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
        const changed = bytes.slice()
        for (const [at, byte] of changes) changed[at] = byte
        expect(['taken', 'invalid']).toContain(outcome(() => checkedImage(changed, '')))
      }),
    )
  })

  it('needs a size', () => {
    const sized = (type: ImageType, ...at: readonly number[]) => {
      const bytes = sampleImages[type].slice()
      for (const one of at) bytes[one] = 0
      return bytes
    }
    for (const bytes of [
      sized('image/png', 16, 17, 18, 19),
      sized('image/gif', 19 + 8 + 5, 19 + 8 + 6),
      sized('image/jpeg', 94, 95),
    ])
      expect(() => checkedImage(bytes, '')).toThrow('is not complete')
  })

  it.each([
    ['a signature alone', '\x89PNG\r\n\x1a\n'],
    ['a signature with a page behind it', 'GIF89a<script>alert(1)</script>'],
    ['a variable that script could read', 'GIF89a=1;alert(1)'],
    ['a JPEG of comments', '\xff\xd8\xff\xfe\x00\x08<html>\xff\xd9'],
    ['a JPEG without data', '\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xd9'],
    ['a PNG of an end alone', '\x89PNG\r\n\x1a\n\0\0\0\0IEND\xae\x42\x60\x82'],
    ['a chunk that is longer than all memory', '\x89PNG\r\n\x1a\n\xff\xff\xff\xffIHDR'],
  ])('needs more than %s', (_, letters) => {
    expect(() => checkedImage(binary(letters), 'image/png')).toThrow(/is not complete$/)
  })
})

describe('another file', () => {
  it.each([
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['image/svg+xml', '\ufeff<?xml version="1.0"?>\n<!-- one --><!DOCTYPE svg PUBLIC "a" "b">\n <SVG/>'],
    ['text/html', '<!doctype html><script>alert(1)</script>'],
    ['text/html', ' \n<script>alert(1)</script>'],
    ['text/xml', '<?xml version="1.0"?><feed/>'],
    ['application/pdf', '%PDF-1.7'],
    ['application/zip', 'PK\x03\x04...'],
    ['application/octet-stream', ''],
    ['application/octet-stream', ' \x89PNG\r\n\x1a\n'],
  ])('is rejected with its real type, not the declared one: %s of %j', (type, content) => {
    expect(() => checkedImage(text(content), 'image/png')).toThrow(notAllowed(type))
  })

  it.each([
    ['image/webp', 'RIFF\x10\0\0\0WEBPVP8 '],
    ['image/avif', '\0\0\0\x20ftypavif'],
    ['image/heic', '\0\0\0\x20ftypheic'],
    ['image/tiff', 'II*\0'],
    ['image/bmp', 'BM\x10'],
  ])('is rejected if it is an image that mail programs do not show: %s', (type, letters) => {
    expect(() => checkedImage(binary(letters), 'image/jpeg')).toThrow(notAllowed(type))
  })

  it('is rejected with its declared type if the bytes are unknown', () => {
    expect(() => checkedImage(text('a,b'), 'text/csv')).toThrow(notAllowed('text/csv'))
    for (const odd of ["x'/<script>", 'image/png', 'text/csv; a=b', `${'x'.repeat(99)}/y`])
      expect(() => checkedImage(text('a,b'), odd)).toThrow(notAllowed('application/octet-stream'))
  })
})
