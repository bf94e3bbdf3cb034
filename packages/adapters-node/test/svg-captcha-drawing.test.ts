import { randomInt } from 'node:crypto'
import { captchaAlphabet } from '@posthorn/core/ports/runtime'
import { describe, expect, it } from 'vitest'
import { svgCaptchaDrawing } from '../src/index.js'
import { type Labelled, pictureSolver, type Solver, structuralSolver } from './captcha-solvers.js'

const letter = () => captchaAlphabet.charAt(randomInt(captchaAlphabet.length))
const drawn = (count: number): readonly Labelled[] =>
  Array.from({ length: count }, () => {
    const text = Array.from({ length: 6 }, letter).join('')
    return { text, drawing: svgCaptchaDrawing(text) }
  })

const piece = 'M-?\\d+\\.\\d -?\\d+\\.\\dL-?\\d+\\.\\d -?\\d+\\.\\d'

describe('a CAPTCHA drawing', () => {
  it('has strokes for every letter of the alphabet, and names an unknown one', () => {
    for (const each of captchaAlphabet) expect(svgCaptchaDrawing(each.repeat(6))).toContain('<path')
    expect(() => svgCaptchaDrawing('ACF!HK')).toThrow('A CAPTCHA cannot contain "!"')
  })

  it('is one path with the same number of equal pieces for every text', () => {
    const document = new RegExp(`^<svg [^<>]*><path [^<>]* d="(${piece}){176}"/></svg>$`)
    for (const { drawing } of drawn(50)) expect(drawing).toMatch(document)
  })

  it('has no pieces that share an end', () => {
    const [{ drawing } = { drawing: '' }] = drawn(1)
    const ends = [...drawing.matchAll(/[ML]([^ML"]+)/g)].map(([, end]) => end)
    expect(ends).toHaveLength(352)
    expect(new Set(ends).size).toBeGreaterThan(340)
  })

  it('does not have a letter’s pieces in sequence', () => {
    const leaps = drawn(20).map(({ drawing }) => {
      const starts = [...drawing.matchAll(/M(-?[\d.]+)/g)].map(([, x]) => Number(x))
      return starts.slice(1).filter((x, index) => Math.abs(x - (starts[index] ?? 0)) > 40).length / starts.length
    })
    expect(Math.min(...leaps)).toBeGreaterThan(0.5)
  })

  it('differs each time', () => {
    expect(svgCaptchaDrawing('ACF39T')).not.toBe(svgCaptchaDrawing('ACF39T'))
  })
})

describe('a program with 300 solved drawings', () => {
  const known = drawn(300)
  const solvedBy = (solve: Solver, drawings: readonly Labelled[]) =>
    drawings.filter(({ text, drawing }) => solve(drawing) === text).length

  it('solves letters that have their own number of commands', () => {
    const plainly = ({ text }: Labelled): Labelled => {
      const outlines = Array.from(text).map(
        (one, place) => `M${place * 20} 9${'L1 1'.repeat(5 + captchaAlphabet.indexOf(one))}`,
      )
      return {
        text,
        drawing: outlines
          .reverse()
          .map((d) => `<path d="${d}"/>`)
          .join(''),
      }
    }
    const plain = drawn(50).map(plainly)
    expect(solvedBy(structuralSolver(known.map(plainly)), plain)).toBe(plain.length)
  })

  it.each([
    ['path', /^(?=M)/],
    ['move', /(?=M)/],
  ])('solves nothing by the sequence of commands, cut at each %s', (_cut, begin) => {
    expect(solvedBy(structuralSolver(known, begin), drawn(200))).toBe(0)
  })

  it('solves some by comparing pictures: a drawing only slows programs down', async ({ annotate }) => {
    const drawings = drawn(25)
    const solved = solvedBy(pictureSolver(known.slice(0, 200)), drawings)
    await annotate(`${solved} of ${drawings.length} drawings were solved by comparing pictures`)
    expect(solved).toBeLessThan(drawings.length / 2)
  })
})
