import type { z } from 'zod'
import { bytesOfBase32, bytesOfBase64url, toBase32 } from '../kernel/encoding.js'
import { without } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import { updated } from '../kernel/project-resource.js'
import { blocked, unauthenticated } from '../kernel/refusal.js'
import { getOrNotFound, orNotFound } from '../kernel/repository.js'
import { personAuthor } from './audit.js'
import { authenticatorUri, totpStepOfCode } from './one-time-codes.js'
import type { PeopleParts } from './people-parts.js'
import {
  OwnProfileChanges,
  PasswordChange,
  PasswordConfirmation,
  type Person,
  type PersonView,
  personView,
  type Reauthentication,
  type SignedInPerson,
  TotpChange,
  TotpSetupAnswer,
} from './person.js'
import type { OpenedSession, SignInClient } from './sessions.js'

const recoveryCodeCount = 10

export const ownAccountUseCases = ({
  repositories: { persons },
  credentials,
  secrets,
  clock,
  audit,
  iso,
  setPassword,
  proveAgain,
}: PeopleParts) => {
  const totp = {
    start: async (person: Person) => {
      const bytes = bytesOfBase64url(secrets.random(20)) ?? new Uint8Array()
      const secret = toBase32(bytes).toUpperCase()
      const pending = { secret: secrets.seal(secret), lastStep: 0, isConfirmed: false }
      const changed = await persons.change({ _id: person._id }, (one) => {
        if (one.totp?.isConfirmed) throw blocked('A second factor is set up already. Remove it first.')
        return { ...one, totp: pending, updatedAt: iso() }
      })
      orNotFound(persons, changed)
      return TotpSetupAnswer.parse({ secret, uri: authenticatorUri(person.email, secret) })
    },

    confirm: async (person: Person, code: string) => {
      const codes = Array.from({ length: recoveryCodeCount }, () =>
        toBase32(bytesOfBase64url(secrets.random(10)) ?? new Uint8Array()),
      )
      const recoveryCodes = codes.map((one) => secrets.digest(`recovery ${person._id} ${one}`))
      await persons.change({ _id: person._id }, (one) => {
        if (!one.totp || one.totp.isConfirmed) throw blocked('Start setting up the second factor first.')
        const key = bytesOfBase32(secrets.open(one.totp.secret)) ?? new Uint8Array()
        const lastStep = totpStepOfCode(credentials, key, code.trim(), clock(), one.totp.lastStep)
        if (lastStep === undefined) throw unauthenticated('The code is wrong.', 'wrong-code')
        return { ...one, totp: { ...one.totp, lastStep, isConfirmed: true }, recoveryCodes, updatedAt: iso() }
      })
      await audit.record(personAuthor(person), { action: 'addSecondFactor', record: person._id })
      return TotpSetupAnswer.parse({ recoveryCodes: codes.map((one) => one.replace(/(.{4})(?=.)/g, '$1-')) })
    },
  }

  return {
    /** @throws Refusal `invalid`, `not-found` */
    changeMe: async (
      { person: { _id } }: OpenedSession,
      input: z.input<typeof OwnProfileChanges>,
    ): Promise<PersonView> => {
      const { name, language, theme } = parsed(OwnProfileChanges, input)
      const changes = { name, language: language as Person['language'] | undefined, theme }
      const before = personView(await getOrNotFound(persons, { _id }))
      const after = personView(
        orNotFound(persons, await persons.change({ _id }, (one) => updated(one, changes, iso()))),
      )
      await audit.record(personAuthor(after), { action: 'changeMe', record: _id, before, after })
      return after
    },

    /** Ends the person's other sessions. @throws Refusal `unauthenticated` for a wrong password, `invalid` */
    changePassword: async (
      opened: OpenedSession,
      input: z.input<typeof PasswordChange>,
      client: SignInClient,
    ): Promise<void> => {
      const { password, newPassword } = parsed(PasswordChange, input)
      const person = await proveAgain(opened, password, client)
      await setPassword(person, newPassword, opened.sessionId)
      await audit.record(personAuthor(person), { action: 'changePassword', record: person._id })
    },

    /**
     * For what the thief of a session must not do. People whom an identity provider or the embedding program signs in
     * have no password to prove.
     * @throws Refusal `unauthenticated`, `busy`
     */
    prove: async (
      { person, memberships }: SignedInPerson,
      { password }: z.input<typeof Reauthentication>,
      client: SignInClient,
    ): Promise<void> => {
      if (memberships) return
      const { passwordHash } = await getOrNotFound(persons, { _id: person._id })
      if (passwordHash !== undefined) await proveAgain({ person }, password ?? '', client)
    },

    /** Without a code it starts, with the code of the app it confirms. @throws Refusal `unauthenticated`, `blocked` */
    setUpTotp: async (opened: OpenedSession, input: z.input<typeof TotpChange>, client: SignInClient) => {
      const { password, code } = parsed(TotpChange, input)
      const person = await proveAgain(opened, password, client)
      return code === undefined ? totp.start(person) : totp.confirm(person, code)
    },

    /** @throws Refusal `unauthenticated` for a wrong password */
    removeTotp: async (
      opened: OpenedSession,
      input: z.input<typeof PasswordConfirmation>,
      client: SignInClient,
    ): Promise<PersonView> => {
      const person = await proveAgain(opened, parsed(PasswordConfirmation, input).password, client)
      const bare = (one: Person): Person => ({ ...(without(one, 'totp', 'recoveryCodes') as Person), updatedAt: iso() })
      const changed = orNotFound(persons, await persons.change({ _id: person._id }, bare))
      await audit.record(personAuthor(person), { action: 'removeSecondFactor', record: person._id })
      return personView(changed)
    },
  }
}
