import { Link } from 'wouter'
import { useLists, useSegments } from '../api/records.js'
import type { Campaign, CampaignChanges } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Checkbox, Select } from '../ui/field.js'
import { Note } from '../ui/states.js'
import { AudienceCards, type useAudience } from './audience-preview.js'

export const AudienceStep = ({
  campaign,
  audience,
  isStale,
  onChange,
  isReadOnly,
}: {
  readonly campaign: Campaign
  readonly audience: ReturnType<typeof useAudience>
  readonly isStale: boolean
  readonly onChange: (changes: CampaignChanges) => void
  readonly isReadOnly: boolean
}) => {
  const { say } = useText()
  const { projectId, href } = useProject()
  const lists = useLists(projectId)
  const segments = useSegments(projectId)
  const isResend = campaign.unopenedOf !== undefined
  return (
    <AudienceCards campaign={campaign} audience={audience} isStale={isStale}>
      {isResend ? (
        <Note
          action={
            !isReadOnly && (
              <Button small onPress={() => onChange({ unopenedOf: '' })}>
                {say('wholeList')}
              </Button>
            )
          }
        >
          <p>{say('unopenedOnly')}</p>
          <p>
            <Link href={href(`/campaigns/${campaign.unopenedOf}`)}>{say('firstCampaign')}</Link>
          </p>
        </Note>
      ) : (
        <>
          <Select
            label={say('list')}
            value={campaign.subscriberListId}
            isDisabled={isReadOnly}
            onChange={(subscriberListId) => onChange({ subscriberListId })}
            options={(lists.data ?? []).map(({ _id, name }) => ({ value: _id, label: name }))}
            dense
          />
          <Select
            label={say('segment')}
            value={campaign.segmentId ?? ''}
            isDisabled={isReadOnly}
            onChange={(segmentId) => onChange({ segmentId })}
            options={[
              { value: '', label: say('wholeList') },
              ...(segments.data ?? []).map(({ _id, name }) => ({ value: _id, label: name })),
            ]}
            note={<Link href={href('/audience/segments')}>{say('segments')}</Link>}
          />
        </>
      )}
      <Checkbox
        isSelected={campaign.excludeUnengaged}
        isDisabled={isReadOnly}
        onChange={(excludeUnengaged) => onChange({ excludeUnengaged })}
      >
        {say('excludeUnengaged')}
      </Checkbox>
    </AudienceCards>
  )
}
