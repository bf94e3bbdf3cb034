import { z } from 'zod'
import type { StoredEmail } from '../emails/email-content.js'
import { usesVariable } from '../emails/template-language.js'
import { usesOf } from '../emails/visual-document.js'
import { invalid, notFound } from '../kernel/refusal.js'
import type { Repository } from '../kernel/repository.js'

const webUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' })

/** Spec, "Signup form": doubleOptIn; a list has the same. Replaced whole. */
export const DoubleOptIn = z
  .strictObject({
    active: z.boolean().default(false).meta({ description: 'Whether new subscribers are asked to confirm' }),
    redirectLink: z
      .union([z.literal(''), webUrl])
      .default('')
      .meta({ description: 'Where a visitor lands after the confirmation link' }),
    emailId: z.string().default('').meta({ description: 'Transactional email whose content includes {{verifyLink}}' }),
    confirmationTitle: z
      .string()
      .max(300)
      .default('Your subscription is confirmed')
      .meta({ description: 'Title of the page after confirming' }),
    confirmationMessage: z
      .string()
      .max(2000)
      .default('Thank you. You can close this page.')
      .meta({ description: 'Text of the page after confirming' }),
  })
  .meta({ id: 'DoubleOptIn' })
export type DoubleOptIn = z.output<typeof DoubleOptIn>

/** Whether the content can link to the verification: the template, or a text of the visual document. */
export const mentionsVerifyLink = ({ type, document }: StoredEmail): boolean =>
  type === 'visual'
    ? usesOf(document).usedVariables.includes('verifyLink')
    : typeof document === 'string' && usesVariable(document, 'verifyLink')

/**
 * That the email of a double opt-in is the project's and, where it is active, can carry the link.
 * @throws Refusal `not-found` for a foreign email, `invalid` for one without {{verifyLink}}
 */
export const assertDoubleOptIn = async (
  projectId: string,
  { active, emailId }: DoubleOptIn,
  emails: Repository<StoredEmail>,
): Promise<void> => {
  if (emailId === '') {
    if (active) throw invalid('doubleOptIn.emailId: an active double opt-in needs a transactional email')
    return
  }
  const email = await emails.get({ _id: emailId, projectId })
  if (!email) throw notFound('Transactional email')
  if (active && !mentionsVerifyLink(email))
    throw invalid('doubleOptIn.emailId: the content of the email must include {{verifyLink}}')
}
