import type { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { parsed } from '../kernel/parsed.js'
import { getOrNotFound } from '../kernel/repository.js'
import { personAuthor } from './audit.js'
import type { PeopleParts } from './people-parts.js'
import { PasswordResetRequest, personView, ResetPassword } from './person.js'
import type { OpenedSession, SignInClient } from './sessions.js'

/** Projects tried for a mail. */
const mostTried = 5

export const passwordResetUseCases = ({
  repositories: { persons, personLinks },
  audit,
  teams,
  signIn,
  links,
  log,
  mailLink,
  assertPasswords,
  setPassword,
}: PeopleParts) => {
  /**
   * From the first project that can send. Only to members of a single account: a receiver of a project's replies,
   * automatic ones too, may read the link, and must not open another account with it.
   */
  const mailReset = async (emailKey: string): Promise<void> => {
    const person = await persons.get({ emailKey })
    const own = person ? await teams.projectsOf({ person: personView(person) }) : []
    if (!person || person.issuer !== undefined || new Set(own.map(({ accountId }) => accountId)).size !== 1) return
    const { link, url } = await links.add('reset', { personId: person._id })
    const { email: to, language } = person
    for (const { _id: projectId } of own.slice(0, mostTried))
      if (await mailLink({ to, url, purpose: 'reset', projectId, language })) return
    await personLinks.remove({ _id: link._id })
  }

  return {
    /**
     * Returns before the look-up: nobody learns which addresses are known. `mailed` resolves when the mail is queued or
     * cannot be.
     * @throws Refusal `invalid`, `busy`
     */
    requestReset: async (
      input: z.input<typeof PasswordResetRequest>,
      client: SignInClient,
    ): Promise<{ readonly mailed: Promise<void> }> => {
      assertPasswords()
      const emailKey = addressKey(parsed(PasswordResetRequest, input).email)
      signIn.chargeMail(client, emailKey)
      const mailed = mailReset(emailKey).catch((error: unknown) =>
        log('error', 'A link to a new password could not be mailed', { error }),
      )
      return { mailed }
    },

    /**
     * Ends all sessions and signs in. Still needs a second factor: a reader of the mailbox may not have it.
     * @throws Refusal `unauthenticated`, `invalid`, `busy`
     */
    resetPassword: async (input: z.input<typeof ResetPassword>, client: SignInClient): Promise<OpenedSession> => {
      assertPasswords()
      const { token, password, code } = parsed(ResetPassword, input)
      const link = await links.find(token, 'reset', client)
      const known = await getOrNotFound(persons, { _id: link.personId ?? '' })
      if (known.issuer !== undefined) throw links.gone()
      await signIn.proveFactor(known, code)
      await links.useUp(link)
      const person = await setPassword({ _id: link.personId ?? '' }, password)
      await personLinks.removeAll({ personId: person._id })
      await audit.record(personAuthor(person), { action: 'resetPassword', record: person._id })
      return signIn.begin(person, client)
    },
  }
}
