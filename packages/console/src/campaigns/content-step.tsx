import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { call } from '../api/client.js'
import type { Problem } from '../api/errors.js'
import { largestPage, useFields, useSenders } from '../api/records.js'
import type { Campaign, CampaignChanges } from '../api/types.js'
import type { EditorLanguage } from '../editor/code-editor.js'
import { MailFrame } from '../editor/mail-frame.js'
import { useProject } from '../shell/session.js'
import { isolated } from '../text/filled.js'
import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'
import { Checkbox, Select, TextField } from '../ui/field.js'
import { Long } from '../ui/long.js'
import { ErrorNote, Note, Skeleton } from '../ui/states.js'
import css from './compose.module.css'
import { jsonProblem, namesFor } from './merge-tags.js'

const CodeEditor = lazy(async () => ({ default: (await import('../editor/code-editor.js')).CodeEditor }))

export type Draft = {
  readonly name: string
  readonly subject: string
  readonly previewText: string
  readonly senderIdentity: string
  readonly replyTo: string
  readonly type: EditorLanguage
  /** One text per type: to look at another type loses nothing. */
  readonly documents: Readonly<Record<EditorLanguage, string>>
}

const textOf = (document: unknown): string =>
  typeof document === 'string' ? document : document === undefined ? '' : JSON.stringify(document, undefined, 2)

export const draftOf = (campaign: Campaign): Draft => ({
  name: campaign.name,
  subject: campaign.subject,
  previewText: campaign.previewText ?? '',
  senderIdentity: campaign.senderIdentity ?? '',
  replyTo: campaign.replyTo ?? '',
  type: campaign.type,
  documents: { html: '', text: '', visual: '', [campaign.type]: textOf(campaign.document) },
})

const sampleSize = largestPage

const usePreview = (campaign: Campaign, contact: string, savedAt: string) => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'preview', campaign._id, contact, savedAt],
    queryFn: ({ signal }) =>
      call(projectId, 'post', '/render-preview/{id}', {
        params: { id: campaign._id },
        body: { type: 'campaign', ...(contact !== '' && { contact }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
  })
}

const Preview = ({ campaign, savedAt }: { readonly campaign: Campaign; readonly savedAt: string }) => {
  const { say } = useText()
  const { projectId, may } = useProject()
  const [contact, setContact] = useState('')
  const [width, setWidth] = useState<'wide' | 'narrow' | 'text'>('wide')
  const [isDark, setDark] = useState(false)
  const sample = useQuery({
    queryKey: [projectId, 'sample', campaign.subscriberListId, campaign.segmentId],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/contacts', {
        query: { limit: sampleSize },
        filter: {
          subscriberListId: campaign.subscriberListId,
          subscriberStatus: 'active',
          segmentId: campaign.segmentId,
        },
        signal,
      }),
    enabled: may('addresses.read'),
  })
  const { data, error, refetch } = usePreview(campaign, contact, savedAt)
  return (
    <div className={css.half}>
      <div className={css.halfHead}>
        <div className={css.grow}>
          <Select
            label={say('previewAs')}
            labelHidden
            dense
            value={contact}
            onChange={setContact}
            options={[
              { value: '', label: say('previewNobody') },
              ...(sample.data?.items ?? []).map(({ email, name }) => ({
                value: email,
                label: name ? `${isolated(name)} · ${email}` : email,
              })),
            ]}
          />
        </div>
        <Segmented
          label={say('previewWidth')}
          value={width}
          onChange={setWidth}
          iconsOnly
          choices={[
            { value: 'wide', label: say('wide'), icon: 'screen' },
            { value: 'narrow', label: say('narrow'), icon: 'phone' },
            { value: 'text', label: say('plainText'), icon: 'list' },
          ]}
        />
        {width !== 'text' && (
          <Checkbox isSelected={isDark} onChange={setDark}>
            {say('darkMode')}
          </Checkbox>
        )}
      </div>
      <p className={css.subjectLine}>
        <b>
          <Long>{data?.subject ?? '…'}</Long>
        </b>
      </p>
      <div className={css.mail}>
        {error ? (
          <div style={{ padding: 12 }}>
            <ErrorNote error={error} onRetry={() => void refetch()} />
          </div>
        ) : data && (width === 'text' || data.html === '') ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          <pre className={css.plain} tabIndex={0}>
            {data.text}
          </pre>
        ) : (
          <MailFrame
            html={data?.html ?? ''}
            title={say('previewTitle')}
            width={width === 'narrow' ? '390px' : '100%'}
            isDark={isDark}
          />
        )}
      </div>
      {data && data.warnings.length > 0 && (
        <div style={{ padding: 12 }}>
          <Note kind="warn">
            <ul>
              {data.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Note>
        </div>
      )}
    </div>
  )
}

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
  const text = draft.documents[draft.type]
  const wrongJson = useMemo(
    () => (draft.type === 'visual' && text.trim() !== '' ? jsonProblem(text) : undefined),
    [draft.type, text],
  )
  const inDocument = useMemo<readonly Problem[]>(
    () =>
      wrongJson
        ? [{ field: 'document', sentence: wrongJson.sentence, at: { line: wrongJson.line, column: wrongJson.column } }]
        : problems.filter(({ field, at }) => field.startsWith('document') || (field === '' && at !== undefined)),
    [problems, wrongJson],
  )
  const names = namesFor(
    (fields.data ?? []).map(({ name }) => name),
    campaign.feeds.map(({ variableName }) => variableName),
  )
  const setText = (key: 'name' | 'subject' | 'previewText' | 'replyTo') => (value: string) =>
    onChange({ ...draft, [key]: value }, key === 'name' && value.trim() === '' ? {} : { [key]: value })
  const setDocument = (type: EditorLanguage, value: string) => {
    const next = { ...draft, type, documents: { ...draft.documents, [type]: value } }
    if (type !== 'visual') return onChange(next, { type, document: value })
    if (value.trim() === '' || jsonProblem(value)) return onChange(next, {})
    onChange(next, { type, document: JSON.parse(value) as unknown })
  }
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
      <div className={css.halves}>
        <div className={css.half}>
          <div className={css.halfHead}>
            <Segmented
              label={say('documentType')}
              value={draft.type}
              onChange={(type) => !isReadOnly && setDocument(type, draft.documents[type])}
              choices={[
                { value: 'html', label: 'HTML' },
                { value: 'text', label: say('textType') },
                { value: 'visual', label: say('visualType') },
              ]}
            />
          </div>
          <div className={css.canvas}>
            <Suspense fallback={<Skeleton rows={8} />}>
              <CodeEditor
                label={say('documentLabel')}
                language={draft.type}
                value={text}
                onChange={(value) => setDocument(draft.type, value)}
                names={names}
                problems={inDocument}
                isReadOnly={isReadOnly}
              />
            </Suspense>
          </div>
          {inDocument.length > 0 && (
            <div style={{ padding: 12 }}>
              <Note kind="bad">
                <ul>
                  {inDocument.map(({ sentence, at }) => (
                    <li key={sentence}>
                      {wrongJson && at ? say('atPosition', { line: at.line, column: at.column, sentence }) : sentence}
                    </li>
                  ))}
                </ul>
              </Note>
            </div>
          )}
        </div>
        <Preview campaign={campaign} savedAt={savedAt} />
      </div>
    </>
  )
}
