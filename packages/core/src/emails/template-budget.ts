import { shortened } from '../kernel/refusal.js'

/** A template that ran past its budget, or could not be rendered for this recipient's values. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'

  constructor(message: string) {
    super(shortened(message))
  }
}

/** How much one rendering may do (gaps.md, "The template language"). */
export const loopBudget = 100_000
/** In bytes of UTF-8. */
export const outputBudget = 5 * 1024 * 1024
/** In characters that are looked at or written; a tag, a name of a path, a turn of a loop count as `step` characters. */
export const workBudget = 10_000_000
export const step = 20

/** What one rendering has used up, and what it has written. */
export type Budget = {
  /** Charged before the work is done. @throws RenderFailure above the budget */
  readonly work: (characters: number) => void
  /** One turn of a loop. @throws RenderFailure above the budget */
  readonly turn: () => void
  /** Adds to the output what fits into it. @throws RenderFailure above the budget, before anything is added */
  readonly write: (text: string) => void
  /** Notes so many characters that are written elsewhere. @throws RenderFailure as `write` does */
  readonly pass: (characters: number) => void
  /** What is written meanwhile, which is no output then. @throws RenderFailure as `write` does */
  readonly capture: (writing: () => void) => string
  /** What was written since it was taken last. */
  readonly take: () => string
  /** Characters written and passed so far. */
  readonly length: () => number
  /** All that was written. @throws RenderFailure for more than 5 MB */
  readonly output: () => string
}

const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    // Each half of a surrogate pair stands for two of its four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return bytes
}

let charged = 0

/** The work of all renderings of this process so far, in characters: whoever renders many knows by it when to let others go on. */
export const chargedWork = (): number => charged

export const budget = (): Budget => {
  let worked = 0
  let turns = 0
  let out = ''
  /** Of what was taken or passed. */
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
