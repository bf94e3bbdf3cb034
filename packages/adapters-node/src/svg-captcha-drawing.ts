import { randomInt } from 'node:crypto'
import type { DrawCaptcha } from '@posthorn/core/ports/runtime'

const finest = 2 ** 32

export const randomBetween = (low: number, high: number): number => low + ((high - low) * randomInt(finest)) / finest

export const randomItem = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T

/** Fisher–Yates. */
const shuffled = <T>(list: readonly T[]): readonly T[] => {
  const result = [...list]
  for (let last = result.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[result[last], result[other]] = [result[other] as T, result[last] as T]
  }
  return result
}

export type CaptchaLineSegment = readonly [from: StrokePoint, to: StrokePoint]
export type CaptchaPointTransform = (point: StrokePoint) => StrokePoint

export const movedLineSegment =
  (move: CaptchaPointTransform) =>
  ([from, to]: CaptchaLineSegment): CaptchaLineSegment => [move(from), move(to)]

export const strokeSegments = (stroke: Stroke): readonly CaptchaLineSegment[] =>
  stroke.slice(1).map((point, index) => [stroke[index] as StrokePoint, point])

const squareOf = ([from, to]: CaptchaLineSegment) => (to[0] - from[0]) ** 2 + (to[1] - from[1]) ** 2

const halves = ([[ax, ay], [bx, by]]: CaptchaLineSegment): readonly CaptchaLineSegment[] => {
  const part = randomBetween(0.38, 0.62)
  const middle: StrokePoint = [ax + (bx - ax) * part, ay + (by - ay) * part]
  return [
    [[ax, ay], middle],
    [middle, [bx, by]],
  ]
}

/** Halves the longest segment, near its middle, until there are that many. */
export const subdividedCaptchaLines = (
  segments: readonly CaptchaLineSegment[],
  pieces: number,
): readonly CaptchaLineSegment[] => {
  let result = segments
  while (result.length < pieces) {
    const longest = result.reduce((a, b) => (squareOf(b) > squareOf(a) ? b : a))
    result = result.flatMap((segment) => (segment === longest ? halves(segment) : [segment]))
  }
  return result
}

const placing = (x: number, y: number, size: number): CaptchaPointTransform => {
  const [turn, slant] = [randomBetween(-0.28, 0.28), randomBetween(-0.2, 0.2)]
  const [bend, bow] = [randomBetween(-0.12, 0.12), randomBetween(-0.12, 0.12)]
  const [width, height] = [size * randomBetween(0.85, 1.05), size * randomBetween(1.05, 1.2)]
  return ([px, py]) => {
    const [u, v] = [(px - 5) / 7, (py - 7) / 7]
    const [across, down] = [(u + slant * v + bend * v * v) * width, (v + bow * u * u) * height]
    return [x + across * Math.cos(turn) - down * Math.sin(turn), y + across * Math.sin(turn) + down * Math.cos(turn)]
  }
}

const waving = (): CaptchaPointTransform => {
  const wave = (height: number) => {
    const [length, start, size] = [randomBetween(60, 130), randomBetween(0, 7), randomBetween(0.6, 1) * height]
    return (at: number) => size * Math.sin((at / length) * 2 * Math.PI + start)
  }
  const [across, down, aslant] = [wave(3), wave(4), wave(2)]
  return ([x, y]) => [x + across(y) + aslant(x + y), y + down(x) + aslant(x - y)]
}

export type StrokePoint = readonly [x: number, y: number]
export type Stroke = readonly StrokePoint[]

/** Coordinate pairs in a box 10 wide and 14 high; a bar separates strokes. */
const strokesOf = (table: string): readonly Stroke[] =>
  table.split('|').map((stroke) =>
    stroke
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split(',').map(Number) as unknown as StrokePoint),
  )

/** Omits letters that a stray line turns into an included one (E and F, P and R, 4 and A). */
const glyphs: Readonly<Record<string, readonly Stroke[]>> = Object.fromEntries(
  Object.entries({
    A: '0,14 5,0 10,14 | 2,9.2 8,9.2',
    C: '10,2.6 8.4,0.8 6,0 3.2,0.7 1.1,3 0.2,7 1.1,11 3.2,13.3 6,14 8.4,13.2 10,11.4',
    F: '10,0 0,0 0,14 | 0,6.8 8.4,6.8',
    H: '0,0 0,14 | 10,0 10,14 | 0,7 10,7',
    K: '0,0 0,14 | 10,0 0,8.4 | 3.4,5.6 10,14',
    N: '0,14 0,0 10,14 10,0',
    R: '0,14 0,0 6,0 8.8,0.9 9.8,3.6 8.8,6.3 6,7.2 0,7.2 | 4.6,7.2 10,14',
    S: '9.6,2.4 7.8,0.5 5,0 2,0.8 0.7,3.3 2,5.8 5,6.9 8.2,8.2 9.5,10.8 8.2,13.2 5,14 2,13.4 0.3,11.4',
    T: '0,0 10,0 | 5,0 5,14',
    X: '0,0 10,14 | 10,0 0,14',
    Z: '0,0 10,0 0,14 10,14',
    3: '0.8,2.4 2.6,0.5 5.2,0 8,0.8 9.3,3.4 8,6 4.4,6.8 8.4,7.7 9.9,10.4 8.6,13 5.2,14 2.2,13.4 0.3,11.4',
    9: '9.4,4.4 8.2,7.4 5,8.5 1.8,7.4 0.5,4.3 1.8,1.1 5,0 8.2,1.1 9.4,4.4 8.8,8.8 6.8,12.2 3.6,14',
  }).map(([glyph, table]) => [glyph, strokesOf(table)]),
)

const width = 260
const height = 80
const margin = 18
/** Of every letter, line and scrap, so that the number reveals nothing. */
const pieces = 22
const scraps = 8

const lettersOf = (text: string): readonly CaptchaLineSegment[] => {
  const letters = Array.from(text)
  const sizes = letters.map(() => randomBetween(17, 23.5))
  const unit = (width - 2 * margin) / sizes.reduce((a, b) => a + b, 0)
  let end = margin
  return letters.flatMap((letter, index) => {
    const strokes = glyphs[letter]
    if (strokes === undefined) throw new Error(`A CAPTCHA cannot contain ${JSON.stringify(letter)}`)
    const size = sizes[index] as number
    const x = end + (unit * size) / 2
    end += unit * size
    const slack = (height - 2.4 * size) / 2
    const place = placing(x + randomBetween(-2, 2), height / 2 + randomBetween(-slack, slack) * 0.7, size)
    return subdividedCaptchaLines(strokes.flatMap(strokeSegments), pieces).map(movedLineSegment(place))
  })
}

const throughLine = (): readonly CaptchaLineSegment[] => {
  const [from, to] = [randomBetween(0.25, 0.75) * height, randomBetween(0.25, 0.75) * height]
  const [swing, length, start] = [randomBetween(6, 14), randomBetween(90, 200), randomBetween(0, 7)]
  const at = (part: number): StrokePoint => {
    const x = 4 + part * (width - 8)
    return [x, from + (to - from) * part + swing * Math.sin((x / length) * 2 * Math.PI + start)]
  }
  return strokeSegments(Array.from({ length: pieces + 1 }, (_, index) => at(index / pieces)))
}

const scrap = (): readonly CaptchaLineSegment[] => {
  const stroke = randomItem(randomItem(Object.values(glyphs)))
  const begin = randomItem([...stroke.slice(0, -2).keys(), 0])
  const y = randomItem([randomBetween(4, 12), randomBetween(height - 12, height - 4)])
  return strokeSegments(stroke.slice(begin, begin + 3)).map(
    movedLineSegment(placing(randomBetween(12, width - 12), y, randomBetween(6, 9))),
  )
}

/** Jitter keeps ends from meeting the next piece's start exactly. */
const jittered = ([x, y]: StrokePoint): string =>
  `${(x + randomBetween(-0.5, 0.5)).toFixed(1)} ${(y + randomBetween(-0.5, 0.5)).toFixed(1)}`

/**
 * One path with the same number of short pieces for every text, in random order and directions: letters and decoys look alike. Dark strokes
 * for light pages.
 * @throws Error for a letter without strokes
 */
export const svgCaptchaDrawing: DrawCaptcha = (text) => {
  const decoys = subdividedCaptchaLines(Array.from({ length: scraps }, scrap).flat(), pieces)
  const d = shuffled([...lettersOf(text), ...throughLine(), ...decoys])
    .map(movedLineSegment(waving()))
    .map((ends) => `M${shuffled(ends).map(jittered).join('L')}`)
    .join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><path fill="none" stroke="#222" stroke-width="2.6" stroke-linecap="round" d="${d}"/></svg>`
}
