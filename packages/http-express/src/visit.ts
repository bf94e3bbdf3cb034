import type { Core } from '@posthorn/core'
import type { OpenedSession, Reauthentication, SignedInPerson, SignInClient } from '@posthorn/core/ports/transport'
import type { z } from 'zod'

export type ConsoleRequest = {
  readonly client: SignInClient
  /** Who is signed in. @throws Refusal `unauthenticated` */
  readonly principal: () => Promise<SignedInPerson>
  /** The session behind it. @throws Refusal `unauthenticated`, `blocked` if the embedding program signs people in */
  readonly session: () => Promise<OpenedSession>
  /** Begins a session with a new cookie; an earlier session of the browser ends. */
  readonly begin: (open: () => Promise<OpenedSession>) => Promise<SignedInPerson>
  readonly end: () => Promise<void>
  /** Keeps the sealed sign-in while the browser is at the identity provider. @throws Refusal `blocked` as `session` */
  readonly leave: (flow: string) => void
  /** The sealed sign-in with which the browser left, once. @throws Refusal `blocked` as `session` */
  readonly comeBack: () => string | undefined
}

/** The body without the password. @throws Refusal `unauthenticated` for a wrong one */
export const withProvenPassword = async <B extends z.input<typeof Reauthentication>>(
  { people }: Core,
  visit: ConsoleRequest,
  { password, ...body }: B,
) => {
  await people.prove(await visit.principal(), { password }, visit.client)
  return body
}
