import type { Problem } from '../api/errors.js'
import { useFields, useSenders } from '../api/records.js'
import type { Campaign, CampaignChanges } from '../api/types.js'
import { type Content, ContentEditor, contentOf } from '../editor/content-editor.js'
import { Preview } from '../editor/preview.js'
import { useProject } from '../shell/session.js'
import { isolated } from '../text/filled.js'
import { useText } from '../text/text.js'
import { Select, TextField } from '../ui/field.js'
import css from './compose.module.css'
import { namesFor } from './merge-tags.js'

export type Draft = Content & {
  readonly name: string
  readonly subject: string
  readonly previewText: string
  readonly senderIdentity: string
  readonly replyTo: string
}

export const draftOf = (campaign: Campaign): Draft => ({
  name: campaign.name,
  subject: campaign.subject,
  previewText: campaign.previewText ?? '',
  senderIdentity: campaign.senderIdentity ?? '',
  replyTo: campaign.replyTo ?? '',
  ...contentOf(campaign),
})

const about = (problems: readonly Problem[], field: string): string | undefined =>
  problems.find((one) => one.field === field || one.field.startsWith(`${field}.`))?.sentence

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
  const senders = useSenders(projectId)
  const email = { kind: 'campaign', id: campaign._id } as const
  const names = namesFor(
    (fields.data ?? []).map(({ name }) => name),
    campaign.feeds.map(({ variableName }) => variableName),
  )
  const setText = (key: 'name' | 'subject' | 'previewText' | 'replyTo') => (value: string) =>
    onChange({ ...draft, [key]: value }, key === 'name' && value.trim() === '' ? {} : { [key]: value })
  return (
    <>
      <div className={css.heads}>
        <TextField
          label={say('campaignName')}
          value={draft.name}
          onChange={setText('name')}
          maxLength={200}
          isDisabled={isReadOnly}
          error={draft.name.trim() === '' ? say('nameNeeded') : about(problems, 'name')}
        />
        <Select
          label={say('from')}
          value={draft.senderIdentity}
          isDisabled={isReadOnly}
          error={about(problems, 'senderIdentity')}
          onChange={(senderIdentity) => onChange({ ...draft, senderIdentity }, { senderIdentity })}
          options={[
            { value: '', label: say('firstSender') },
            ...(senders.data ?? []).map(({ _id, name, email }) => ({
              value: _id,
              label: name ? `${isolated(name)} <${email}>` : email,
            })),
          ]}
        />
        <TextField
          label={say('subject')}
          value={draft.subject}
          onChange={setText('subject')}
          maxLength={998}
          isDisabled={isReadOnly}
          error={about(problems, 'subject')}
        />
        <TextField
          label={say('replyTo')}
          type="email"
          value={draft.replyTo}
          onChange={setText('replyTo')}
          isDisabled={isReadOnly}
          error={about(problems, 'replyTo')}
        />
        <TextField
          label={say('previewText')}
          value={draft.previewText}
          onChange={setText('previewText')}
          maxLength={1000}
          isDisabled={isReadOnly}
          error={about(problems, 'previewText')}
          note={say('previewTextNote')}
        />
      </div>
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
    </>
  )
}
