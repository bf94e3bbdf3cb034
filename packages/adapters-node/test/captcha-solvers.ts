/** A drawing whose text is known. */
export type Labelled = { readonly text: string; readonly drawing: string }
export type Solver = (drawing: string) => string

/** What each outline begins with, from left to right: where, and the kinds of its commands. A line of a few commands is noise. */
const outlinesOf = (drawing: string, begin: RegExp): readonly string[] =>
  [...drawing.matchAll(/ d="([^"]*)"/g)]
    .flatMap(([, d = '']) => d.split(begin))
    .map((d) => ({ x: Number.parseFloat(d.slice(1)), commands: d.replace(/[^a-z]/gi, '') }))
    .filter(({ commands }) => commands.length > 4)
    .sort((a, b) => a.x - b.x)
    .map(({ commands }) => commands)

/**
 * Looks each outline's sequence of commands up among those that drawings with a known text had at the place of each letter: it
 * solved all drawings of svg-captcha, in which the sequence is the letter.
 */
export const structuralSolver = (known: readonly Labelled[], begin: RegExp = /^(?=M)/): Solver => {
  const votes = new Map<string, Map<string, number>>()
  const lettersIn = (drawing: string) => {
    const outlines = outlinesOf(drawing, begin)
    return Array.from({ length: 6 }, (_, place) =>
      outlines.slice((place * outlines.length) / 6, ((place + 1) * outlines.length) / 6).join(' '),
    )
  }
  for (const { text, drawing } of known)
    for (const [place, outline] of lettersIn(drawing).entries()) {
      const counts = votes.get(outline) ?? new Map<string, number>()
      const letter = text.charAt(place)
      votes.set(outline, counts.set(letter, (counts.get(letter) ?? 0) + 1))
    }
  const likeliest = (outline: string) => [...(votes.get(outline) ?? [['?', 0]])].sort((a, b) => b[1] - a[1])[0]?.[0]
  return (drawing) => lettersIn(drawing).map(likeliest).join('')
}

const [width, height] = [260, 80]
/** A cell of the pictures that are compared: so many pixels of the drawing. */
const cell = 4
const [columns, rows] = [width / cell, height / cell]
/** A letter's window. */
const across = 10

/** The drawing as a picture: how near each cell is to a stroke, from 0 (far) to 1 (on it). */
const pictureOf = (drawing: string): Float32Array => {
  const picture = new Float32Array(columns * rows)
  for (const [, ...ends] of drawing.matchAll(/M(\S+) (\S+)L([^\sM]+) ([^\sM"]+)/g)) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = ends.map(Number)
    const steps = Math.ceil(Math.hypot(bx - ax, by - ay))
    for (let step = 0; step <= steps; step++) {
      const [x, y] = [ax + ((bx - ax) * step) / steps, ay + ((by - ay) * step) / steps]
      const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)]
      for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c++)
        for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++) {
          const distance = Math.hypot((c + 0.5) * cell - x, (r + 0.5) * cell - y)
          const at = r * columns + c
          picture[at] = Math.max(picture[at] ?? 0, 1 - distance / (1.5 * cell))
        }
    }
  }
  return picture
}

const windowOf = (picture: Float32Array, left: number): Float32Array => {
  const result = new Float32Array(across * rows)
  for (let c = 0; c < across; c++)
    for (let r = 0; r < rows; r++) {
      const column = left + c
      result[c * rows + r] = column < 0 || column >= columns ? 0 : (picture[r * columns + column] ?? 0)
    }
  return result
}

const leftOf = (place: number) => Math.round((18 + (place + 0.5) * ((width - 36) / 6)) / cell - across / 2)

const differenceOf = (a: Float32Array, b: Float32Array, most: number): number => {
  let sum = 0
  for (let index = 0; index < a.length && sum < most; index++) sum += ((a[index] ?? 0) - (b[index] ?? 0)) ** 2
  return sum
}

/**
 * Paints the strokes, looks at the place of each letter, moved a little to either side, and takes the letter that the most alike of
 * the known pictures have there. It knows how the drawings are made.
 */
export const pictureSolver = (known: readonly Labelled[], neighbours = 5): Solver => {
  const samples = known.flatMap(({ text, drawing }) => {
    const picture = pictureOf(drawing)
    return Array.from(text).map((letter, place) => ({ letter, seen: windowOf(picture, leftOf(place)) }))
  })
  const letterAt = (picture: Float32Array, place: number): string => {
    const best: { letter: string; difference: number }[] = []
    for (const move of [-1, 0, 1]) {
      const seen = windowOf(picture, leftOf(place) + move)
      for (const sample of samples) {
        const worst = best.length < neighbours ? Number.POSITIVE_INFINITY : (best.at(-1)?.difference ?? 0)
        const difference = differenceOf(seen, sample.seen, worst)
        if (difference >= worst) continue
        best.push({ letter: sample.letter, difference })
        best.sort((a, b) => a.difference - b.difference)
        best.splice(neighbours)
      }
    }
    const votes = new Map<string, number>()
    for (const { letter, difference } of best) votes.set(letter, (votes.get(letter) ?? 0) + 1 / (difference + 0.1))
    return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '?'
  }
  return (drawing) => {
    const picture = pictureOf(drawing)
    return Array.from({ length: 6 }, (_, place) => letterAt(picture, place)).join('')
  }
}
