import type { Point, Stroke } from './captcha-glyphs.js'
import { between } from './chance.js'

export type Segment = readonly [from: Point, to: Point]
export type Move = (point: Point) => Point

export const moved =
  (move: Move) =>
  ([from, to]: Segment): Segment => [move(from), move(to)]

export const segmentsOf = (stroke: Stroke): readonly Segment[] =>
  stroke.slice(1).map((point, index) => [stroke[index] as Point, point])

const squareOf = ([from, to]: Segment) => (to[0] - from[0]) ** 2 + (to[1] - from[1]) ** 2

const halves = ([[ax, ay], [bx, by]]: Segment): readonly Segment[] => {
  const part = between(0.38, 0.62)
  const middle: Point = [ax + (bx - ax) * part, ay + (by - ay) * part]
  return [
    [[ax, ay], middle],
    [middle, [bx, by]],
  ]
}

/** Halves the longest segment, near its middle, until there are that many. */
export const cut = (segments: readonly Segment[], pieces: number): readonly Segment[] => {
  let result = segments
  while (result.length < pieces) {
    const longest = result.reduce((a, b) => (squareOf(b) > squareOf(a) ? b : a))
    result = result.flatMap((segment) => (segment === longest ? halves(segment) : [segment]))
  }
  return result
}

/** Moves a glyph to that point and size, and slants, bends and turns it at random. */
export const placing = (x: number, y: number, size: number): Move => {
  const [turn, slant] = [between(-0.28, 0.28), between(-0.2, 0.2)]
  const [bend, bow] = [between(-0.12, 0.12), between(-0.12, 0.12)]
  const [width, height] = [size * between(0.85, 1.05), size * between(1.05, 1.2)]
  return ([px, py]) => {
    const [u, v] = [(px - 5) / 7, (py - 7) / 7]
    const [across, down] = [(u + slant * v + bend * v * v) * width, (v + bow * u * u) * height]
    return [x + across * Math.cos(turn) - down * Math.sin(turn), y + across * Math.sin(turn) + down * Math.cos(turn)]
  }
}

/** Distorts the picture in waves of a few pixels. */
export const waving = (): Move => {
  const wave = (height: number) => {
    const [length, start, size] = [between(60, 130), between(0, 7), between(0.6, 1) * height]
    return (at: number) => size * Math.sin((at / length) * 2 * Math.PI + start)
  }
  const [across, down, aslant] = [wave(3), wave(4), wave(2)]
  return ([x, y]) => [x + across(y) + aslant(x + y), y + down(x) + aslant(x - y)]
}
