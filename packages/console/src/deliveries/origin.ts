import type { Subscription } from '../api/types.js'
import { useText } from '../text/text.js'

/** The form or import, and what was said about the consent. */
export const useSubscriptionSource = () => {
  const { say } = useText()
  return ({ signupForm, import: file, consent }: Subscription): readonly string[] => [
    ...(signupForm ? [say('throughForm', { name: signupForm.name })] : []),
    ...(file ? [say('throughImport', { file: file.fileName })] : []),
    ...(file?.consent === undefined ? [] : [say('consentSaid', { consent: file.consent })]),
    ...(consent === undefined ? [] : [say('consentSaid', { consent })]),
  ]
}
