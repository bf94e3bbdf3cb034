import { createHash } from 'node:crypto'
import type { Challenge } from '@posthorn/core/ports/transport'

/** Found by trying numbers, as browsers do. @throws Error if there is no solution */
export const solvedChallenge = ({ algorithm, challenge, maxnumber, salt, signature }: Challenge): string => {
  for (let number = 0; number <= maxnumber; number++)
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') === challenge)
      return btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }))
  throw new Error('This challenge has no solution')
}
