export type Point = readonly [x: number, y: number]
export type Stroke = readonly Point[]

/** Coordinate pairs in a box 10 wide and 14 high; a bar separates strokes. */
const strokesOf = (table: string): readonly Stroke[] =>
  table.split('|').map((stroke) =>
    stroke
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split(',').map(Number) as unknown as Point),
  )

/**
 * Pen strokes. Of letters that a stray line turns into each other (E and F, P and R, 4 and A), only one is included.
 */
export const glyphs: Readonly<Record<string, readonly Stroke[]>> = Object.fromEntries(
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
