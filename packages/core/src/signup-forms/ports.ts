/**
 * Verifies a token with the challenge's provider (Turnstile's siteverify and compatible APIs).
 * @throws Error if the provider does not respond
 */
export type ChallengeVerifier = (secretKey: string, token: string) => Promise<boolean>
