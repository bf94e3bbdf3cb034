import { describe, expect, it } from 'vitest'
import { completedLink } from '../../src/editor/visual/completed-link.js'

describe('a link', () => {
  it.each([
    ['kestrel.example/advent', 'https://kestrel.example/advent'],
    [' www.kestrel.example ', 'https://www.kestrel.example'],
    ['bücher.example:8080?a={{contact.email}}', 'https://bücher.example:8080?a={{contact.email}}'],
  ])('of a host without a scheme is completed: %s', (written, link) => {
    expect(completedLink(written)).toBe(link)
  })

  it.each([
    ...['https://kestrel.example', 'http://kestrel.example', 'mailto:ada@kestrel.example', 'tel:+43.1', '#top'],
    ...['{{design.links.website}}', '{{contact.page}}.example', '/advent', '//kestrel.example', 'ada@kestrel.example'],
    ...['', 'advent'],
  ])('stays as it is: %s', (written) => {
    expect(completedLink(written)).toBe(written)
  })
})
