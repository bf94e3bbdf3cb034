/**
 * Asks the challenge's provider whether somebody solved it for that token (Turnstile's siteverify and its like).
 * @throws Error when the provider does not answer
 */
export type ChallengeVerifier = (secretKey: string, token: string) => Promise<boolean>
