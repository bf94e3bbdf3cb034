import { shortened } from '../../kernel/refusal.js'

export class RenderFailure extends Error {
  override readonly name = 'RenderFailure'

  constructor(message: string) {
    super(shortened(message))
  }
}

/** Loop iterations per rendering (gaps.md, "The template language"). */
const loopBudget = 100_000
/** Bytes of UTF-8 per rendering. */
export const mostRenderedBytes = 5 * 1024 * 1024
/** Characters read or written; a tag, a name of a path and a loop iteration count as `templateStepCost`. */
export const renderWorkBudget = 10_000_000
export const templateStepCost = 20

export type RenderBudget = {
  /** Charges work before it is done. @throws RenderFailure above the budget */
  readonly work: (characters: number) => void
  /** @throws RenderFailure above the budget */
  readonly turn: () => void
  /** @throws RenderFailure above the budget, before anything is added */
  readonly write: (text: string) => void
  /** Counts output that is written elsewhere. @throws RenderFailure above the budget */
  readonly pass: (characters: number) => void
  readonly capture: (writing: () => void) => string
  readonly take: () => string
  readonly length: () => number
  /** @throws RenderFailure above 5 MB */
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

/** Of this process; render loops use it to decide when to yield. */
export const chargedRenderWork = (): number => charged

export const renderBudget = (): RenderBudget => {
  let worked = 0
  let turns = 0
  let out = ''
  let gone = 0

  const work = (characters: number) => {
    worked += characters
    charged += characters
    if (worked > renderWorkBudget)
      throw new RenderFailure('The template needs too much work for one email. Loop over fewer items or shorter texts.')
  }
  const assertFits = (bytes: number) => {
    if (bytes > mostRenderedBytes) throw new RenderFailure('The rendered email is larger than 5 MB.')
  }

  return {
    work,
    turn: () => {
      turns += 1
      if (turns > loopBudget) throw new RenderFailure(`The template loops more than ${loopBudget} times.`)
      work(templateStepCost)
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
      if (out.length * 3 > mostRenderedBytes) assertFits(utf8Length(out))
      return out
    },
  }
}
