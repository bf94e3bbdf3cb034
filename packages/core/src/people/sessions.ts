import type { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { bytesOfBase32 } from '../kernel/encoding.js'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { type RateLimiter, rateLimiter } from '../kernel/rate-limiter.js'
import { busy, notFound, unauthenticated } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import { type AuditLog, personAuthor } from './audit.js'
import { totpStepOfCode } from './one-time-codes.js'
import {
  type OperatorReadOnlyView,
  type Person,
  type PersonView,
  personView,
  type Session,
  SessionView,
  SignIn,
  sessionAge,
  sessionIdle,
  sessionSeenInterval,
} from './person.js'
import type { CredentialHasher } from './ports.js'

/** Where a request comes from, for limits and for the list of sessions. */
export type SignInClient = { readonly addressBlock: string; readonly userAgent: string }

/** `token` is the cookie's value. */
export type OpenedSession = {
  readonly person: PersonView
  readonly sessionId: string
  readonly token: string
  readonly view?: OperatorReadOnlyView
}

type Deps = Pick<Runtime, 'secrets' | 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ persons: Person; sessions: Session }>
  readonly credentials: CredentialHasher
  readonly audit: AuditLog
}

/**
 * Ten attempts at once from an address block, then one in 10 s; thirty visits to the identity provider, then one a second; twenty for one
 * address of a person, then one a minute; three mails with a link to one address, then one in 20 minutes.
 */
const limits = {
  visit: { perSecond: 1, burst: 30 },
  block: { perSecond: 0.1, burst: 10 },
  person: { perSecond: 1 / 60, burst: 20 },
  mail: { perSecond: 1 / 1_200, burst: 3 },
} as const

const wrong = () => unauthenticated('The e-mail address, the password or the code is wrong.')

/** Call before anything is looked up: it must reveal nothing. @throws Refusal `busy` */
const charge = (limiter: RateLimiter, caller: string): void => {
  const { allowed, retrySeconds } = limiter.take(caller)
  if (!allowed) throw busy(`Too many attempts. Retry in ${retrySeconds} s.`)
}

export const signInUseCases = ({ repositories, credentials, secrets, clock, newId, audit }: Deps) => {
  const { persons, sessions } = repositories
  const now = () => clock().getTime()
  const byBlock = rateLimiter(limits.block, now)
  const byVisit = rateLimiter(limits.visit, now)
  const byPerson = rateLimiter(limits.person, now)
  const byMailed = rateLimiter(limits.mail, now)
  const iso = (time = now()) => new Date(time).toISOString()

  const isOver = ({ seenAt, expiresAt }: Session): boolean =>
    now() >= Date.parse(expiresAt) || now() >= Date.parse(seenAt) + sessionIdle

  const attempt = (addressBlock: string): void => charge(byBlock, addressBlock)

  /** An attempt that succeeds does not count. */
  const succeed = (addressBlock: string): void => byBlock.charge(addressBlock, -1)

  /**
   * From many addresses, too, a person's password is tried twenty times, then once a minute. Call the result if the
   * attempt succeeds: then it does not count. @throws Refusal `busy`
   */
  const attemptAs = (emailKey: string, { addressBlock }: SignInClient): (() => void) => {
    const caller = secrets.digest(emailKey)
    attempt(addressBlock)
    charge(byPerson, caller)
    return () => {
      succeed(addressBlock)
      byPerson.charge(caller, -1)
    }
  }

  /** Uses up a code of the app or a recovery code. */
  const useCode = async ({ _id, totp }: Person, code: string): Promise<boolean> => {
    if (!totp?.isConfirmed) return true
    const given = code.replace(/[\s-]/g, '')
    const digest = secrets.digest(`recovery ${_id} ${given.toLowerCase()}`)
    let isRight = false
    await persons.change({ _id }, (current) => {
      isRight = false
      if (!current.totp) return current
      if (current.recoveryCodes?.includes(digest)) {
        isRight = true
        return { ...current, recoveryCodes: current.recoveryCodes.filter((one) => one !== digest), updatedAt: iso() }
      }
      const secret = bytesOfBase32(secrets.open(current.totp.secret)) ?? new Uint8Array()
      const lastStep = totpStepOfCode(credentials, secret, given, clock(), current.totp.lastStep)
      if (lastStep === undefined) return current
      isRight = true
      return { ...current, totp: { ...current.totp, lastStep }, updatedAt: iso() }
    })
    return isRight
  }

  /** @throws Refusal `unauthenticated`, with the code `second-factor-required` if the factor is missing */
  const proveFactor = async (person: Person, code: string | undefined): Promise<void> => {
    if (!person.totp?.isConfirmed) return
    if (code === undefined) throw unauthenticated('Enter the code of your authenticator app.', 'second-factor-required')
    if (!(await useCode(person, code))) throw wrong()
  }

  /**
   * Signs in with password and second factor. Unknown addresses take as long as wrong passwords.
   * @throws Refusal `unauthenticated` (code `second-factor-required` after a right password), `busy`
   */
  const proven = async (
    email: string,
    password: string,
    code: string | undefined,
    client: SignInClient,
  ): Promise<Person> => {
    const emailKey = addressKey(email)
    const succeeded = attemptAs(emailKey, client)
    const person = await persons.get({ emailKey })
    const { isRight, isOutdated } = await credentials.matches(password, person?.passwordHash)
    if (!person || person.issuer !== undefined || !isRight) throw wrong()
    await proveFactor(person, code)
    succeeded()
    if (!isOutdated) return person
    const passwordHash = await credentials.hash(password)
    const { passwordHash: old } = person
    const change = (one: Person) => (one.passwordHash === old ? { ...one, passwordHash } : one)
    return (await persons.change({ _id: person._id }, change)) ?? person
  }

  /** Always with a new token, whatever the browser had before. */
  const begin = async (person: Person, { addressBlock, userAgent }: SignInClient): Promise<OpenedSession> => {
    const token = secrets.random(32)
    const session: Session = {
      _id: newId(),
      personId: person._id,
      digest: secrets.digest(token),
      seenAt: iso(),
      expiresAt: iso(now() + sessionAge),
      userAgent: userAgent.slice(0, 200),
      addressBlock,
      ...stamps(iso()),
    }
    await sessions.add(session)
    await audit.record(personAuthor(person), { action: 'signIn', after: { addressBlock } })
    return { person: personView(person), sessionId: session._id, token }
  }

  const endAll = async (personId: string, except?: string): Promise<void> => {
    for (const { _id } of await collected(sessions.each({ personId })))
      if (_id !== except) await sessions.remove({ _id })
  }

  return {
    attempt,
    attemptAs,
    succeed,
    proven,

    /** @throws Refusal `busy` */
    chargeVisit: ({ addressBlock }: SignInClient): void => charge(byVisit, addressBlock),

    /** For a link that replaces the password only. @throws Refusal `unauthenticated`, `busy` */
    proveFactor: async (person: Person, code: string | undefined): Promise<void> => {
      if (code !== undefined) charge(byPerson, secrets.digest(person.emailKey))
      await proveFactor(person, code)
    },

    /** Whether the address is known or not. @throws Refusal `busy` */
    chargeMail: ({ addressBlock }: SignInClient, emailKey: string): void => {
      attempt(addressBlock)
      charge(byMailed, secrets.digest(emailKey))
    },
    begin,
    endAll,

    /** @throws Refusal `unauthenticated`, `busy` */
    signIn: async (input: z.input<typeof SignIn>, client: SignInClient): Promise<OpenedSession> => {
      const { email, password, code } = parsed(SignIn, input)
      return begin(await proven(email, password, code, client), client)
    },

    /** Undefined unless the session is known and neither idle for 12 h nor 7 days old. */
    open: async (token: string): Promise<OpenedSession | undefined> => {
      const session = await sessions.get({ digest: secrets.digest(token) })
      if (!session) return undefined
      const { _id } = session
      const person = isOver(session) ? undefined : await persons.get({ _id: session.personId })
      if (!person) {
        await sessions.remove({ _id })
        return undefined
      }
      if (now() - Date.parse(session.seenAt) >= sessionSeenInterval)
        await sessions.change({ _id }, (one) => ({ ...one, seenAt: iso(), updatedAt: iso() }))
      const { view } = session
      return { person: personView(person), sessionId: _id, token, ...(view && { view }) }
    },

    signOut: async (token: string): Promise<void> => {
      await sessions.remove({ digest: secrets.digest(token) })
    },

    sessionsOf: async ({ person, sessionId }: Pick<OpenedSession, 'person' | 'sessionId'>) => {
      const all = await collected(sessions.each({ personId: person._id }))
      return all
        .filter((one) => !isOver(one))
        .map((one) => SessionView.parse({ ...one, current: one._id === sessionId }))
        .reverse()
    },

    /** @throws Refusal `not-found` */
    revoke: async ({ person }: Pick<OpenedSession, 'person'>, id: string): Promise<void> => {
      if (!(await sessions.remove({ _id: id, personId: person._id }))) throw notFound('Session')
    },
  }
}
export type SignInUseCases = ReturnType<typeof signInUseCases>
