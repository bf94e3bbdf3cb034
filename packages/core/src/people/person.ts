import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import { permissions } from '../kernel/scope.js'
import { headerTextSchema, Id, Instant, Name, type Stamped } from '../kernel/shapes.js'
import { type Language, ProjectLanguage } from '../languages/languages.js'
import { type Role, roles } from './roles.js'

const themes = ['system', 'light', 'dark'] as const

/** Somebody who uses the console. */
export type Person = Stamped & {
  readonly email: string
  readonly emailKey: string
  readonly name: string
  /** Absent until the first password is chosen, and for people of an identity provider. */
  readonly passwordHash?: string
  /** The identity provider that alone signs the person in: no password or second factor of this installation counts. */
  readonly issuer?: string
  readonly language: Language
  readonly theme: (typeof themes)[number]
  /** Of the installation. */
  readonly operator: boolean
  /** `secret` is encrypted; codes up to `lastStep` were used. Not required until confirmed. */
  readonly totp?: { readonly secret: string; readonly lastStep: number; readonly isConfirmed: boolean }
  /** SHA-256 of each unused code. */
  readonly recoveryCodes?: readonly string[]
}

/** `digest`: of issuer and subject, which together never name another person. */
export type ExternalIdentity = Stamped & {
  readonly digest: string
  readonly issuer: string
  readonly subject: string
  readonly personId: string
}

/** A role in the whole account, or in one of its projects only. */
export type Member = {
  readonly personId: string
  readonly role: Role
  readonly projectId?: string
  /** Given, changed and taken by the identity provider at each sign-in. */
  readonly byProvider?: true
  readonly since: string
}

/**
 * All memberships of an account in one record, under the account's id: one `change` decides who may grant what, and
 * that an owner is left.
 */
export type Team = Stamped & { readonly personIds: readonly string[]; readonly members: readonly Member[] }

export const OperatorReadOnlyView = z.object({ projectId: Id, until: Instant })
export type OperatorReadOnlyView = z.output<typeof OperatorReadOnlyView>

/** `digest` is the SHA-256 of the cookie's 256 random bits. */
export type Session = Stamped & {
  readonly personId: string
  readonly digest: string
  readonly seenAt: string
  readonly expiresAt: string
  readonly userAgent: string
  readonly addressBlock: string
  readonly view?: OperatorReadOnlyView
}

/** A link that works once. `digest` is the SHA-256 of its token. */
export type PersonLink = Stamped & {
  readonly digest: string
  readonly purpose: 'setup' | 'sign-in' | 'reset' | 'invitation'
  readonly expiresAt: string
  /** For `sign-in` and `reset`. */
  readonly personId?: string
  /** For an invitation, as are the following. */
  readonly email?: string
  readonly accountId?: string
  readonly projectId?: string
  readonly role?: Role
  /** Absent: the command line. */
  readonly invitedBy?: string
}

/** In ms. */
const [minute, day] = [60_000, 24 * 60 * 60_000]
export const sessionIdle = 12 * 60 * minute
export const sessionAge = 7 * day
/** Minimum interval between writes of a session's `seenAt`. */
export const sessionSeenInterval = minute
/** Between leaving for the identity provider and coming back. */
export const providerSignInTimeout = 10 * minute
export const personLinkLifetimes = { setup: day, 'sign-in': 15 * minute, reset: day, invitation: 7 * day } as const

const Password = z
  .string()
  .min(10, 'expected at least 10 characters')
  .max(200, 'expected at most 200 characters')
  .refine((text) => new Set(text).size > 3, 'too simple')
  .meta({ description: '10 to 200 characters' })
/** Of any form: an impossible input gets the same answer as a wrong one. */
const GivenPassword = z.string().max(1_000)
const Code = z.string().max(40).meta({ description: 'Six digits of the authenticator app, or a recovery code' })
const Token = z.string().max(200).meta({ description: 'From the link, after the #' })
const PersonName = headerTextSchema(200).trim().min(1)
const MemberRole = z.enum(roles)
const Within = z
  .enum(['account', 'project'])
  .meta({ description: 'Whether in all projects of the account or in this one' })

export const SignIn = z.strictObject({ email: z.string().max(254), password: GivenPassword, code: Code.optional() })
export const RedeemSetup = z.strictObject({ token: Token, email: EmailAddress, name: PersonName, password: Password })
export const AcceptInvitation = z.strictObject({
  token: Token,
  name: PersonName.optional(),
  password: GivenPassword,
  code: Code.optional().meta({ description: 'If the address has an account with a second factor already' }),
})
export const NewPerson = z.strictObject({ email: EmailAddress, name: PersonName, password: Password })
export const RedeemLink = z.strictObject({ token: Token })
export const ResetPassword = z.strictObject({
  token: Token,
  password: Password,
  code: Code.optional().meta({ description: 'If the person has a second factor, which a new password keeps' }),
})
export const PasswordResetRequest = z.strictObject({ email: z.string().max(254) })
export const PasswordResetAnswer = z.object({
  mails: z.boolean().meta({ description: 'Whether this server mails such links; the same for every address' }),
})
export const ProviderSignInAnswer = z.strictObject({
  answer: z.string().max(8_000).meta({ description: 'The query with which the provider sent the browser back' }),
})
export const ProviderSignInUrl = z.object({
  url: z.url().meta({ description: 'Where the provider signs the person in' }),
})
export const SignInOptions = z.object({
  passwords: z.boolean().meta({ description: 'Whether people sign in with a password' }),
  provider: z.string().optional().meta({ description: 'The name of the identity provider that signs people in' }),
})
export const OwnProfileChanges = z.strictObject({
  name: PersonName.optional(),
  language: ProjectLanguage.optional(),
  theme: z.enum(themes).optional(),
})
export const PasswordChange = z.strictObject({ password: GivenPassword, newPassword: Password })
export const TotpChange = z.strictObject({ password: GivenPassword, code: Code.optional() })
export const PasswordConfirmation = z.strictObject({ password: GivenPassword })
/** The password may be absent only for those who have none. */
export const Reauthentication = PasswordConfirmation.partial()
export const NewInvitation = z.strictObject({
  email: EmailAddress,
  role: MemberRole,
  within: Within.default('project'),
})
export const MemberChanges = z.strictObject({ role: MemberRole })

export const PersonView = z
  .object({
    _id: Id,
    email: z.string(),
    name: z.string(),
    language: ProjectLanguage,
    theme: z.enum(themes),
    operator: z.boolean(),
    totp: z.boolean().meta({ description: 'Whether signing in needs a second factor' }),
    external: z.boolean().meta({ description: 'Whether an identity provider signs the person in' }),
  })
  .meta({ id: 'Person' })
export type PersonView = z.output<typeof PersonView>

/** A role in an account, or in one of its projects only. */
export type RoleMembership = { readonly accountId: string; readonly projectId?: string; readonly role: Role }

export type SignedInPerson = {
  readonly person: PersonView
  /** Given by the embedding program; otherwise the teams decide. */
  readonly memberships?: readonly RoleMembership[]
  readonly view?: OperatorReadOnlyView
}

export const SignedIn = z.object({
  person: PersonView,
  embedded: z.boolean().meta({ description: 'Whether the application that embeds Posthorn signs people in' }),
  projects: z.array(
    z.object({
      _id: Id,
      name: Name,
      accountId: Id,
      accountName: Name,
      role: MemberRole,
      permissions: z.array(z.enum(permissions)),
      viewUntil: Instant.optional().meta({ description: 'Until when an operator reads the project of others' }),
    }),
  ),
})
export type SignedIn = z.output<typeof SignedIn>

export const SessionView = z.object({
  _id: Id,
  createdAt: Instant,
  seenAt: Instant,
  expiresAt: Instant,
  userAgent: z.string(),
  addressBlock: z.string(),
  current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
})

export const TotpSetupAnswer = z.object({
  secret: z.string().optional().meta({ description: 'Base32, for an authenticator app; only before it is confirmed' }),
  uri: z.string().optional().meta({ description: 'The same for a QR code' }),
  recoveryCodes: z.array(z.string()).optional().meta({ description: 'Each works once; shown only here' }),
})

export const MemberView = z.object({
  _id: Id,
  email: z.string(),
  name: z.string(),
  role: MemberRole,
  within: Within,
  totp: z.boolean(),
  byProvider: z.boolean().default(false).meta({ description: 'Whether the identity provider decides the role' }),
  since: Instant,
})
export type MemberView = z.output<typeof MemberView>

export const InvitationView = z.object({
  _id: Id,
  email: z.string(),
  role: MemberRole,
  within: Within,
  expiresAt: Instant,
  link: z.string().optional().meta({ description: 'To pass on, shown only once, if the server cannot mail it' }),
})
export type InvitationView = z.output<typeof InvitationView>

export const PeopleView = z.object({ people: z.array(MemberView), invitations: z.array(InvitationView) })

export const personView = (person: Person): PersonView =>
  PersonView.parse({ ...person, totp: person.totp?.isConfirmed === true, external: person.issuer !== undefined })
