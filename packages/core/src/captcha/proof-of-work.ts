import { z } from 'zod'
import { bytesOfBase64url, jsonOfBase64url } from '../kernel/encoding.js'
import type { Clock, Counters, Secrets } from '../kernel/ports.js'

export const ChallengeQuery = z.strictObject({
  signupFormId: z
    .string()
    .regex(/^[\da-f]{24}$/, 'expected the id of a signup form')
    .describe('The form that the solution is for; not valid for others'),
})

/** ALTCHA version 1 (altcha.org/docs/v2/proof-of-work): the browser searches for the hashed number. */
export const Challenge = z
  .object({
    algorithm: z.literal('SHA-256').describe('Salt of the challenge'),
    challenge: z.string().describe('SHA-256 of the salt and the number, in hexadecimal'),
    maxnumber: z.int().describe('The number is from 0 to this'),
    salt: z.string().describe('What the number is appended to, in decimal'),
    signature: z.string().describe('Return it with the number'),
  })
  .meta({
    id: 'Challenge',
    description:
      'A proof of work: find the number for which SHA-256 of salt and number is `challenge`, and send base64 of `{ algorithm, challenge, number, salt, signature }` as `challengeToken`. Good for ten minutes, for one form and for one answer',
  })
export type Challenge = z.output<typeof Challenge>

const Solution = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  number: z.int().min(0),
  salt: z.string(),
  signature: z.string(),
})

type Deps = {
  readonly secrets: Pick<Secrets, 'random' | 'digest' | 'sign' | 'verifies'>
  readonly clock: Clock
  readonly counters: Pick<Counters, 'takeUpTo'>
  readonly settings: { readonly challengeCost: number }
}

const goodForSeconds = 10 * 60
/** Clocks of processes differ. */
const marginSeconds = 60

/** Ends with a non-digit, so that digits cannot move between number and expiry (CVE-2025-68113). */
const saltPattern = /^[\w-]{16}\?expires=(\d{10,12})&form=([\da-f]{24})&$/

/** In either base64 alphabet. */
const solutionIn = (token: string) =>
  Solution.safeParse(jsonOfBase64url(token.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))).data

/** Solved by the browser alone; store nothing until solved (gaps.md, "Signup forms"). */
export const proofOfWork = ({ secrets, clock, counters, settings }: Deps) => {
  const numberUpTo = (most: number): number =>
    Array.from(bytesOfBase64url(secrets.random(6)) ?? []).reduce((sum, byte) => sum * 256 + byte, 0) % (most + 1)

  return {
    challenge: (signupFormId: string): Challenge => {
      const expires = Math.floor(clock().getTime() / 1000) + goodForSeconds
      const salt = `${secrets.random(12)}?expires=${expires}&form=${signupFormId}&`
      const challenge = secrets.digest(`${salt}${numberUpTo(settings.challengeCost)}`)
      const signature = secrets.sign(challenge, 'challenge')
      return { algorithm: 'SHA-256', challenge, maxnumber: settings.challengeCost, salt, signature }
    },

    /** True once for each challenge, among all processes. */
    isSolved: async (signupFormId: string, token: string): Promise<boolean> => {
      const { challenge, number, salt, signature } = solutionIn(token) ?? {}
      const [, expires, form] = saltPattern.exec(salt ?? '') ?? []
      if (challenge === undefined || signature === undefined || form !== signupFormId) return false
      const inTime = Number(expires) * 1000 > clock().getTime()
      const genuine =
        secrets.digest(`${salt}${number}`) === challenge && secrets.verifies(challenge, signature, 'challenge')
      if (!inTime || !genuine) return false
      const remembered = new Date((Number(expires) + marginSeconds) * 1000)
      return (await counters.takeUpTo({ key: `challenge:${challenge}`, n: 1, limit: 1 }, remembered)) === 1
    },
  }
}
export type ProofOfWork = ReturnType<typeof proofOfWork>
