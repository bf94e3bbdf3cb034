import { z } from 'zod'
import type { StoredEmail } from '../emails/email-content.js'
import { usesVariable } from '../emails/template-language.js'
import { usesOf } from '../emails/visual-document.js'
import { type Rule, refusalOf } from '../kernel/parsed.js'
import type { Referable, References } from '../kernel/references.js'
import type { Lookup, Repository } from '../kernel/repository.js'
import { WebUrlOrNone } from '../kernel/shapes.js'
import { wrongField } from '../kernel/violation.js'
import { languages } from '../languages/languages.js'

/** Spec, "Signup form": doubleOptIn; lists have the same field. An update replaces it as a whole. */
export const DoubleOptIn = z
  .strictObject({
    active: z.boolean().default(false).meta({ description: 'Whether new subscribers are asked to confirm' }),
    redirectLink: WebUrlOrNone.default('').meta({ description: 'Where a visitor lands after the confirmation link' }),
    emailId: z.string().default('').meta({ description: 'Transactional email whose content includes {{verifyLink}}' }),
    confirmationTitle: z
      .string()
      .max(300)
      .default(languages.en.confirmedTitle)
      .meta({ description: 'Title of the page after confirming; unchanged or empty, it is in the reader’s language' }),
    confirmationMessage: z
      .string()
      .max(2000)
      .default(languages.en.confirmed)
      .meta({ description: 'Text of the page after confirming; unchanged or empty, it is in the reader’s language' }),
  })
  .meta({ id: 'DoubleOptIn' })
export type DoubleOptIn = z.output<typeof DoubleOptIn>

/** Whether the content, a template or a visual document, contains the verification link. */
export const mentionsVerifyLink = ({ type, document }: StoredEmail): boolean =>
  type === 'visual'
    ? usesOf(document).usedVariables.includes('verifyLink')
    : typeof document === 'string' && usesVariable(document, 'verifyLink')

const withoutLink = wrongField('doubleOptIn.emailId', 'the content of the email must include {{verifyLink}}')

/** Checks that an active double opt-in has an email that contains the link. `usingDoubleOptInEmail` rejects emails of other projects. */
export const doubleOptInFits =
  (projectId: string, emails: Lookup<StoredEmail>): Rule<{ readonly doubleOptIn?: DoubleOptIn | undefined }> =>
  async ({ doubleOptIn }) => {
    const { active, emailId } = doubleOptIn ?? {}
    if (!active || emailId === undefined) return []
    if (emailId === '')
      return [wrongField('doubleOptIn.emailId', 'an active double opt-in needs a transactional email')]
    const email = await emails.get({ _id: emailId, projectId })
    return !email || mentionsVerifyLink(email) ? [] : [withoutLink]
  }

export type DoubleOptInEmails = Repository<StoredEmail & Referable>

/**
 * Writes a list or form with that double opt-in. During the write, its email can neither be removed nor lose its link.
 * @throws Refusal `not-found` if the project has no such email, `invalid` if the email lacks the link
 */
export const usingDoubleOptInEmail =
  (emails: DoubleOptInEmails, references: References) =>
  <R>(projectId: string, doubleOptIn: DoubleOptIn | undefined, write: () => Promise<R>): Promise<R> => {
    const { active, emailId = '' } = doubleOptIn ?? {}
    const targets = emailId === '' ? [] : [{ repository: emails, _id: emailId, projectId }]
    return references.use(targets, async ([email]) => {
      if (active && email && !mentionsVerifyLink(email)) throw refusalOf([withoutLink])
      return write()
    })
  }
