import { useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import { useLists } from '../api/records.js'
import type { BodyOf } from '../api/types.js'
import { useWords } from '../editor/visual/words.js'
import { useProject } from '../shell/session.js'
import { starters } from '../templates/starters.js'
import { useText } from '../text/text.js'
import { ButtonLink } from '../ui/button.js'
import { Dialog, FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote } from '../ui/states.js'

type CampaignContent = Pick<BodyOf<'post', '/campaigns'>, 'subject' | 'previewText' | 'type' | 'document'>

/** A campaign needs a name and a list before it can be stored as a draft. */
export const NewCampaign = ({
  isOpen,
  segmentId,
  contentOf,
  onClose,
}: {
  readonly isOpen: boolean
  readonly segmentId: string | undefined
  /** Default: a letter in HTML. */
  readonly contentOf?: () => Promise<CampaignContent>
  readonly onClose: () => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId, href } = useProject()
  const words = useWords()
  const [, navigate] = useLocation()
  const lists = useLists(projectId)
  const [name, setName] = useState('')
  const [list, setList] = useState<string>()
  const chosen = list ?? (lists.data?.length === 1 ? lists.data[0]?._id : undefined)
  if (lists.data?.length === 0)
    return (
      <Dialog
        title={say('newCampaign')}
        isOpen={isOpen}
        onClose={onClose}
        foot={
          <ButtonLink kind="primary" href={href('/audience/lists')}>
            {say('lists')}
          </ButtonLink>
        }
      >
        <p>{say('listFirst')}</p>
      </Dialog>
    )
  return (
    <FormDialog
      title={say('newCampaign')}
      isOpen={isOpen}
      onClose={onClose}
      submit={say('create')}
      why={lacks({ [say('campaignName')]: name.trim() === '', [say('list')]: chosen === undefined })}
      onSubmit={async () => {
        const content = (await contentOf?.()) ?? {
          subject: '',
          type: 'visual',
          document: starters.newsletter(words),
        }
        const campaign = await call(projectId, 'post', '/campaigns', {
          body: {
            ...content,
            name: name.trim(),
            timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
            subscriberListId: chosen ?? '',
            ...(segmentId && { segmentId }),
          },
        })
        navigate(href(`/campaigns/${campaign._id}`))
      }}
    >
      {lists.error && <ErrorNote error={lists.error} onRetry={() => void lists.refetch()} />}
      <TextField
        label={say('campaignName')}
        value={name}
        onChange={setName}
        maxLength={200}
        autoFocus
        note={say('nameNote')}
      />
      <Select
        label={say('list')}
        value={chosen}
        onChange={setList}
        placeholder={say('chooseOne')}
        options={(lists.data ?? []).map(({ _id, name: label }) => ({ value: _id, label }))}
        dense
      />
    </FormDialog>
  )
}
