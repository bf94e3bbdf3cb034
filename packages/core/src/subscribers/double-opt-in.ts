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

/** Spec, "Signup form": doubleOptIn; a list has the same. Replaced whole. */
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

/** Whether the content can link to the verification: the template, or a text of the visual document. */
export const mentionsVerifyLink = ({ type, document }: StoredEmail): boolean =>
  type === 'visual'
    ? usesOf(document).usedVariables.includes('verifyLink')
    : typeof document === 'string' && usesVariable(document, 'verifyLink')

const withoutLink = wrongField('doubleOptIn.emailId', 'the content of the email must include {{verifyLink}}')

/** That an active double opt-in has an email, which can carry the link. `usingDoubleOptInEmail` refuses one of another project. */
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

/** The transactional emails that a double opt-in can have. */
export type DoubleOptInEmails = Repository<StoredEmail & Referable>

/**
 * Writes a list or form with that double opt-in, whose email is neither removed nor loses its link meanwhile.
 * @throws Refusal `not-found` where the email is not the project's, `invalid` where it has no link
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
