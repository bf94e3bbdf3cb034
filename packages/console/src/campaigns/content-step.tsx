import type { Problem } from '../api/errors.js'
import { useFields } from '../api/records.js'
import type { Campaign, CampaignChanges } from '../api/types.js'
import { ContentEditor, contentOf, type EditorContent } from '../editor/content-editor.js'
import { EmailFields, emailDetailsOf } from '../editor/email-fields.js'
import { type EmailSettings, EmailSettingsFields, emailSettingsOf } from '../editor/email-settings.js'
import { Preview } from '../editor/preview.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { namesFor } from './merge-tags.js'

export type Draft = EditorContent & EmailSettings & ReturnType<typeof emailDetailsOf>

export const draftOf = (campaign: Campaign): Draft => ({
  ...emailDetailsOf(campaign),
  ...emailSettingsOf(campaign),
  ...contentOf(campaign),
})

export const ContentStep = ({
  campaign,
  draft,
  onChange,
  problems,
  savedAt,
  isReadOnly,
}: {
  readonly campaign: Campaign
  readonly draft: Draft
  readonly onChange: (draft: Draft, changes: CampaignChanges) => void
  readonly problems: readonly Problem[]
  readonly savedAt: string
  readonly isReadOnly: boolean
}) => {
  const { say } = useText()
  const { projectId } = useProject()
  const fields = useFields(projectId)
  const email = { kind: 'campaign', id: campaign._id } as const
  const names = namesFor(
    (fields.data ?? []).map(({ name }) => name),
    draft.feeds.map(({ variableName }) => variableName),
  )
  return (
    <>
      <EmailFields
        head={draft}
        onChange={onChange}
        nameLabel={say('campaignName')}
        problems={problems}
        isReadOnly={isReadOnly}
      />
      <ContentEditor
        email={email}
        content={draft}
        onChange={(content, changes) => onChange({ ...draft, ...content }, changes)}
        names={names}
        problems={problems}
        isReadOnly={isReadOnly}
        preview={
          <Preview
            email={email}
            savedAt={savedAt}
            contacts={{
              subscriberListId: campaign.subscriberListId,
              subscriberStatus: 'active',
              segmentId: campaign.segmentId,
            }}
          />
        }
      />
      <EmailSettingsFields settings={draft} onChange={onChange} problems={problems} isReadOnly={isReadOnly} />
    </>
  )
}
