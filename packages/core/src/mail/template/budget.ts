import { shortened } from '../../kernel/refusal.js'

/** A template exceeded its budget or could not be rendered with this recipient's values. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'

  constructor(message: string) {
    super(shortened(message))
  }
}

/** Maximum number of loop iterations per rendering (gaps.md, "The template language"). */
export const loopBudget = 100_000
/** Maximum bytes of UTF-8 output per rendering. */
export const outputBudget = 5 * 1024 * 1024
/** Maximum work per rendering, in characters read or written; a tag, a path's name and a loop iteration count as `step` characters. */
export const workBudget = 10_000_000
export const step = 20

/** The work and output of one rendering. */
export type Budget = {
  /** Charges work before it is done. @throws RenderFailure above the budget */
  readonly work: (characters: number) => void
  /** Charges one loop iteration. @throws RenderFailure above the budget */
  readonly turn: () => void
  /** Appends to the output. @throws RenderFailure above the budget, before anything is added */
  readonly write: (text: string) => void
  /** Counts characters of output that are written elsewhere. @throws RenderFailure like `write` */
  readonly pass: (characters: number) => void
  /** Returns what `writing` writes, instead of adding it to the output. @throws RenderFailure like `write` */
  readonly capture: (writing: () => void) => string
  /** Returns and clears what was written since the last call. */
  readonly take: () => string
  /** Characters written and passed so far. */
  readonly length: () => number
  /** The whole output. @throws RenderFailure above 5 MB */
  readonly output: () => string
}

const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    // Each half of a surrogate pair accounts for two of its four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return bytes
}

let charged = 0

/** Total work of all renderings of this process, in characters. Render loops use it to decide when to yield. */
export const chargedWork = (): number => charged

export const budget = (): Budget => {
  let worked = 0
  let turns = 0
  let out = ''
  /** Characters that were taken, passed or set aside. */
  let gone = 0

  const work = (characters: number) => {
    worked += characters
    charged += characters
    if (worked > workBudget)
      throw new RenderFailure('The template does more work than one email may: loop over less, or over shorter texts.')
  }
  const assertFits = (bytes: number) => {
    if (bytes > outputBudget) throw new RenderFailure('The rendered email is larger than 5 MB.')
  }

  return {
    work,
    turn: () => {
      turns += 1
      if (turns > loopBudget) throw new RenderFailure(`The template loops more than ${loopBudget} times.`)
      work(step)
    },
    write: (text) => {
      assertFits(gone + out.length + text.length)
      out += text
    },
    pass: (characters) => {
      gone += characters
      charged += characters
      assertFits(gone + out.length)
    },
    capture: (writing) => {
      const before = out
      gone += before.length
      out = ''
      writing()
      const captured = out
      gone -= before.length
      out = before
      return captured
    },
    take: () => {
      const taken = out
      gone += taken.length
      charged += taken.length
      out = ''
      return taken
    },
    length: () => gone + out.length,
    output: () => {
      charged += out.length
      if (out.length * 3 > outputBudget) assertFits(utf8Length(out))
      return out
    },
  }
}
