import { createHash } from 'node:crypto'
import type { ChallengeVerifier } from '@posthorn/core/ports/runtime'
import type { Challenge } from '@posthorn/core/ports/transport'

/** Tokens by secret key; each works once. A key with an Error fails with it. */
export const scriptedChallenges = (
  solutions: Readonly<Record<string, readonly string[] | Error>> = {},
): ChallengeVerifier => {
  const used = new Set<string>()
  return async (secretKey, token) => {
    const tokens = Object.hasOwn(solutions, secretKey) ? solutions[secretKey] : []
    if (tokens instanceof Error) throw tokens
    const solved = tokens?.includes(token) === true && !used.has(token)
    used.add(token)
    return solved
  }
}

/** The token that solves a challenge, found by trying numbers as browsers do. @throws Error if there is no solution */
export const solvedChallenge = ({ algorithm, challenge, maxnumber, salt, signature }: Challenge): string => {
  for (let number = 0; number <= maxnumber; number++)
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') === challenge)
      return btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }))
  throw new Error('This challenge has no solution')
}
