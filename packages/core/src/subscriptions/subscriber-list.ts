import type { InProject } from '../kernel/shapes.js'

export type DoubleOptIn = {
  readonly active: boolean
  readonly redirectLink: string
  readonly emailId: string
  readonly confirmationTitle: string
  readonly confirmationMessage: string
}

/** A list that contacts subscribe to (gaps.md, "Subscriber lists"). */
export type SubscriberList = InProject & {
  readonly name: string
  readonly description: string
  readonly private: boolean
  readonly doubleOptIn: DoubleOptIn
  /** How the list's own form looks; `showCaptcha: false` is how a list disables the CAPTCHA. */
  readonly signupForm: Readonly<Record<string, unknown>> & { readonly showCaptcha: boolean }
}
