import { describe, expect, it } from 'vitest'
import { framedMessageHtml, hasRemoteContent } from '../../src/outbox-pages/message-frame.js'

describe('a mail’s frame', () => {
  it.each([
    ['<html><head lang="en"><title>x', '<html><head lang="en"><base target="_blank"><title>x'],
    ['<header>x', '<base target="_blank"><header>x'],
    ['<p>x', '<base target="_blank"><p>x'],
    ['<head', '<base target="_blank"><head'],
  ])('opens links in a new window: %s', (html, shown) => {
    expect(framedMessageHtml(html, [])).toBe(shown)
  })

  it.each([
    ['<img src="https://example.com/a.png">', true],
    ["<IMG alt=x SRC = ' //example.com/a.png'>", true],
    ['<td background=http://example.com/a.png>', true],
    ['<p style="background:url( \'https://example.com/a.png\')">', true],
    ['<img src="cid:a">', false],
    ['<a href="https://example.com">x</a>', false],
    ['<img', false],
  ])('detects remote content: %s', (html, remote) => {
    expect(hasRemoteContent(html)).toBe(remote)
  })

  /** What a quadratic reading would take minutes for. */
  it.each(['<head ', '<img ', '<', 'url( ', '<img src= ', '<td background="'])(
    'processes repetitive input in linear time: %s',
    (text) => {
      const html = text.repeat(2_000_000 / text.length)
      expect(framedMessageHtml(html, [])).toHaveLength(html.length + '<base target="_blank">'.length)
      expect(hasRemoteContent(`${html}${' '.repeat(500_000)}`)).toBe(false)
    },
  )
})
