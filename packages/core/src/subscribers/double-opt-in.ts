import { z } from 'zod'
import type { StoredEmail } from '../emails/email-content.js'
import { usesVariable } from '../emails/template-language.js'
import { usesOf } from '../emails/visual-document.js'
import { foundIn } from '../kernel/found.js'
import type { Rule } from '../kernel/parsed.js'
import type { Lookup } from '../kernel/repository.js'
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

/** That an active double opt-in has an email, which can carry the link. One that is not the project's is `assertDoubleOptInEmail`'s to tell. */
export const doubleOptInFits =
  (projectId: string, emails: Lookup<StoredEmail>): Rule<{ readonly doubleOptIn?: DoubleOptIn | undefined }> =>
  async ({ doubleOptIn }) => {
    const { active, emailId } = doubleOptIn ?? {}
    if (!active || emailId === undefined) return []
    if (emailId === '')
      return [wrongField('doubleOptIn.emailId', 'an active double opt-in needs a transactional email')]
    const email = await emails.get({ _id: emailId, projectId })
    return !email || mentionsVerifyLink(email)
      ? []
      : [wrongField('doubleOptIn.emailId', 'the content of the email must include {{verifyLink}}')]
  }

/** That the email of a double opt-in is the project's. @throws Refusal `not-found` */
export const assertDoubleOptInEmail = async (
  projectId: string,
  { emailId }: DoubleOptIn,
  emails: Lookup<StoredEmail>,
): Promise<void> => {
  if (emailId !== '') await foundIn(emails, { _id: emailId, projectId })
}
