import type { ChallengeVerifier } from '@posthorn/core/ports/runtime'

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
