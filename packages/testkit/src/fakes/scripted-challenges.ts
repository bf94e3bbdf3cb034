import type { ChallengeVerifier } from '@posthorn/core/ports/runtime'

/**
 * A challenge provider that knows the tokens that solve each secret key's challenges. Each token works once. A key with an Error fails with
 * it.
 */
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
