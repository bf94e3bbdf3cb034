import { z } from 'zod'

const opens = z.boolean().meta({ description: 'Whether html mails have an image that tells when they are opened' })
const clicks = z
  .boolean()
  .meta({ description: 'Whether links of html mails lead over this server, which counts who follows them' })

/** Which events html mails are tracked for, as far as chosen (gaps.md, "Tracking"). */
export const TrackingFields = z.strictObject({ opens: opens.optional(), clicks: clicks.optional() }).meta({
  id: 'TrackingFields',
  description:
    'What is told of html mails; what is not given is as around it: of a send as its email, of an email as its project',
})

/** Which events html mails are tracked for. */
export const TrackingView = z
  .object({ opens: opens.default(true), clicks: clicks.default(true) })
  .meta({ id: 'Tracking', description: 'What is told of html mails' })
export type TrackingView = z.output<typeof TrackingView>

/** An explicit choice; absent fields were not chosen. */
export type TrackingChoice = { readonly opens?: boolean | undefined; readonly clicks?: boolean | undefined }

/** Merges choices: the last explicit one wins. Everything is tracked by default. */
export const chosenTracking = (...choices: readonly (TrackingChoice | undefined)[]): TrackingView => {
  const last = (name: keyof TrackingChoice) =>
    choices.reduce((before: boolean, choice) => choice?.[name] ?? before, true)
  return { opens: last('opens'), clicks: last('clicks') }
}
