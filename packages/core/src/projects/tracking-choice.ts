import { z } from 'zod'

const opens = z.boolean().describe('Whether HTML mails contain a pixel that records opens')
const clicks = z.boolean().describe('Whether links in HTML mails lead through this server, which records clicks')

/** gaps.md, "Tracking". */
export const TrackingFields = z.strictObject({ opens: opens.optional(), clicks: clicks.optional() }).meta({
  id: 'TrackingFields',
  description:
    'Which events HTML mails are tracked for. A send inherits absent fields from its email, an email from its project',
})

export const TrackingView = z
  .object({ opens: opens.default(true), clicks: clicks.default(true) })
  .meta({ id: 'Tracking', description: 'Which events HTML mails are tracked for' })
export type TrackingView = z.output<typeof TrackingView>

/** Absent fields were not chosen. */
export type TrackingChoice = { readonly opens?: boolean | undefined; readonly clicks?: boolean | undefined }

/** The last explicit choice wins; by default everything is tracked. */
export const chosenTracking = (...choices: readonly (TrackingChoice | undefined)[]): TrackingView => {
  const last = (name: keyof TrackingChoice) =>
    choices.reduce((before: boolean, choice) => choice?.[name] ?? before, true)
  return { opens: last('opens'), clicks: last('clicks') }
}
