import type { DrawCaptcha } from '@posthorn/core/ports/runtime'
import { glyphs, type Point } from './captcha-glyphs.js'
import { cut, moved, placing, type Segment, segmentsOf, waving } from './captcha-strokes.js'
import { between, oneOf, shuffled } from './chance.js'

const width = 260
const height = 80
const margin = 18
/** Of every letter, line and scrap, so that the number reveals nothing. */
const pieces = 22
const scraps = 8

/** Each letter has a slot as wide as its size. */
const lettersOf = (text: string): readonly Segment[] => {
  const letters = Array.from(text)
  const sizes = letters.map(() => between(17, 23.5))
  const unit = (width - 2 * margin) / sizes.reduce((a, b) => a + b, 0)
  let end = margin
  return letters.flatMap((letter, index) => {
    const strokes = glyphs[letter]
    if (strokes === undefined) throw new Error(`There is no way to draw ${JSON.stringify(letter)} in a CAPTCHA`)
    const size = sizes[index] as number
    const x = end + (unit * size) / 2
    end += unit * size
    const slack = (height - 2.4 * size) / 2
    const place = placing(x + between(-2, 2), height / 2 + between(-slack, slack) * 0.7, size)
    return cut(strokes.flatMap(segmentsOf), pieces).map(moved(place))
  })
}

const throughLine = (): readonly Segment[] => {
  const [from, to] = [between(0.25, 0.75) * height, between(0.25, 0.75) * height]
  const [swing, length, start] = [between(6, 14), between(90, 200), between(0, 7)]
  const at = (part: number): Point => {
    const x = 4 + part * (width - 8)
    return [x, from + (to - from) * part + swing * Math.sin((x / length) * 2 * Math.PI + start)]
  }
  return segmentsOf(Array.from({ length: pieces + 1 }, (_, index) => at(index / pieces)))
}

/** Part of a random letter, above or below the text. */
const scrap = (): readonly Segment[] => {
  const stroke = oneOf(oneOf(Object.values(glyphs)))
  const begin = oneOf([...stroke.slice(0, -2).keys(), 0])
  const y = oneOf([between(4, 12), between(height - 12, height - 4)])
  return segmentsOf(stroke.slice(begin, begin + 3)).map(moved(placing(between(12, width - 12), y, between(6, 9))))
}

/** Tenths of a pixel, with jitter, so that no end meets the next piece's start exactly. */
const jittered = ([x, y]: Point): string =>
  `${(x + between(-0.5, 0.5)).toFixed(1)} ${(y + between(-0.5, 0.5)).toFixed(1)}`

/**
 * One path with the same number of short pieces for every text, in random order and directions: nothing distinguishes a
 * letter's pieces from others or from decoys. Dark strokes for light pages.
 * @throws Error for a letter without strokes
 */
export const svgCaptchaDrawing: DrawCaptcha = (text) => {
  const decoys = cut(Array.from({ length: scraps }, scrap).flat(), pieces)
  const d = shuffled([...lettersOf(text), ...throughLine(), ...decoys])
    .map(moved(waving()))
    .map((ends) => `M${shuffled(ends).map(jittered).join('L')}`)
    .join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><path fill="none" stroke="#222" stroke-width="2.6" stroke-linecap="round" d="${d}"/></svg>`
}
