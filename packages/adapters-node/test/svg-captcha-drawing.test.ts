import { describe, expect, it } from 'vitest'
import { svgCaptchaDrawing } from '../src/index.js'

describe('the drawing of a CAPTCHA', () => {
  const drawn = svgCaptchaDrawing('ACE47W')

  it('is an SVG document of paths alone, one for each letter and line', () => {
    expect(drawn).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="220" height="64"[^>]*>(<path [^<>]*\/>){8}<\/svg>$/,
    )
  })

  it('does not say its text', () => {
    const outlines = [...drawn.matchAll(/ d="([^"]*)"/g)].map(([, outline = '']) => outline)
    expect(outlines.join('').replace(/[\d\s.,-]/g, '')).toMatch(/^[MLQCZ]+$/)
  })

  it('is never twice the same', () => {
    expect(svgCaptchaDrawing('ACE47W')).not.toBe(drawn)
  })
})
