import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import { useLists, useSenders } from '../api/records.js'
import type { Campaign, CampaignChanges } from '../api/types.js'
import { type DraftStore, unsavedOf, useDraft } from '../editor/draft.js'
import { DraftNotes, SaveNote } from '../editor/draft-notes.js'
import { senderText } from '../editor/email-fields.js'
import { useWords } from '../editor/visual/words.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useDesignSystem } from '../templates/design-queries.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { Icon } from '../ui/icons.js'
import { ErrorNote, Note, useToast } from '../ui/states.js'
import { AudienceCards, Limits, useAudience } from './audience-preview.js'
import { AudienceStep } from './audience-step.js'
import { StatusBadge } from './campaign-status.js'
import css from './compose.module.css'
import { ContentStep, type Draft, draftOf } from './content-step.js'
import { duplicateCampaign } from './duplicate.js'
import { fingerprintOf } from './fingerprint.js'
import { hasSampleContent } from './sample-content.js'
import { type SendTiming, TestStep, TimeStep } from './send-steps.js'

const steps = ['content', 'audience', 'test', 'time', 'send'] as const
type Step = (typeof steps)[number]

const labels = {
  content: 'stepContent',
  audience: 'audience',
  test: 'stepTest',
  time: 'time',
  send: 'stepSend',
} as const

const withChanges = (campaign: Campaign, changes: CampaignChanges = {}): Campaign => {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const known = Object.entries({ ...campaign, ...Object.fromEntries(given) }).filter(([, value]) => value !== null)
  const next = Object.fromEntries(known) as unknown as Campaign
  if (next.unopenedOf !== '') return next
  const { unopenedOf: _, ...rest } = next
  return rest
}

const testedAt = (id: string) => `posthorn-tested-${id}`

/** Five checks in any order; saved as it is written. */
export const Compose = ({
  campaign: loaded,
  onReload,
}: {
  readonly campaign: Campaign
  readonly onReload: () => void
}) => {
  const { say, sayServer, dateTime } = useText()
  const { projectId, href, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { get, set } = useUrlState()
  const step: Step = steps.find((one) => one === get('step')) ?? 'content'
  const [unsaved] = useState(() => (loaded.status === 'draft' ? unsavedOf<CampaignChanges>(loaded._id) : undefined))
  const [stored, setStored] = useState(loaded)
  const [campaign, setCampaign] = useState<Campaign>(() => withChanges(loaded, unsaved?.changes))
  const [draft, setDraft] = useState<Draft>(() => draftOf(campaign))
  const [when, setWhen] = useState<SendTiming>(
    loaded.scheduledTo !== undefined && Date.parse(loaded.scheduledTo) > Date.now() ? 'later' : 'now',
  )
  const [tested, setTested] = useState(() => localStorage.getItem(testedAt(loaded._id)))
  const [isSending, setSending] = useState(false)
  const [failed, setFailed] = useState<unknown>()

  const isScheduled = campaign.status === 'scheduled'
  const isReadOnly = campaign.status !== 'draft' || !may('content.edit')

  const saved = useCallback(
    (now: Campaign, later: CampaignChanges) => {
      setStored(now)
      setCampaign(withChanges(now, later))
      client.setQueryData([projectId, 'campaign', now._id], now)
      void client.invalidateQueries({ queryKey: [projectId, 'campaigns'] })
    },
    [client, projectId],
  )
  const store = useMemo<DraftStore<Campaign, CampaignChanges>>(() => {
    const params = { id: loaded._id }
    return {
      read: () => call(projectId, 'get', '/campaigns/{id}', { params }),
      write: (changes, basedOn) =>
        call(projectId, 'patch', '/campaigns/{id}', { params, body: { ...changes, basedOn } }),
    }
  }, [projectId, loaded._id])
  const { save, problems, warnings, others, change, flush, keepMine, discard, version } = useDraft(
    store,
    loaded,
    saved,
    unsaved,
  )
  const write = (changes: CampaignChanges) => {
    setCampaign((now) => withChanges(now, changes))
    change(changes)
  }
  const saveAsNew = async () => {
    setFailed(undefined)
    try {
      const { name, subject, previewText, senderIdentity, replyTo, type, documents, feeds, tracking } = draft
      const document: unknown = type === 'visual' ? JSON.parse(documents.visual || '{}') : documents[type]
      const { _id } = await duplicateCampaign(
        projectId,
        { ...campaign, subject, previewText, senderIdentity, replyTo, type, document, feeds: [...feeds], tracking },
        name === '' ? campaign.name : name,
      )
      discard()
      toast(say('saved'))
      navigate(href(`/campaigns/${_id}`))
    } catch (thrown) {
      setFailed(thrown)
    }
  }

  const lists = useLists(projectId)
  const listName = lists.data?.find(({ _id }) => _id === campaign.subscriberListId)?.name ?? ''
  const audience = useAudience(stored)
  const people = audience.data?.recipients ?? 0
  const problem = audience.data?.problem === undefined ? undefined : sayServer(audience.data.problem)
  const isStale = save.state === 'waiting' || save.state === 'saving' || audience.isPlaceholderData
  const document = draft.documents[draft.type]
  const mailed = useMemo(() => fingerprintOf(draft), [draft])
  const isTested = tested === mailed
  const hasContent = draft.subject.trim() !== '' && document.trim() !== ''
  const isUnsaved = save.state === 'failed'
  const words = useWords()
  const design = useDesignSystem()
  const hasSamples = hasSampleContent(document, words, design.data)
  const senders = useSenders(projectId)
  const sender =
    draft.senderIdentity === '' && senders.data?.length === 1
      ? senders.data[0]
      : senders.data?.find(({ _id }) => _id === draft.senderIdentity)
  const hasTime = when === 'now' || campaign.scheduledTo !== undefined

  const marks: Readonly<Record<Step, { readonly isReady: boolean; readonly isTodo?: boolean; readonly text: string }>> =
    {
      content: {
        isReady: hasContent && !isUnsaved && problem === undefined && warnings.length === 0,
        isTodo: !hasContent || isUnsaved || problem !== undefined || warnings.length > 0,
        text: !hasContent
          ? say('contentLacks')
          : isUnsaved
            ? say('changesNotSaved')
            : problem !== undefined
              ? problem
              : warnings.length > 0
                ? say('warningCount', { count: warnings.length })
                : say('contentReady'),
      },
      audience: {
        isReady: people > 0,
        isTodo: audience.data !== undefined && people === 0,
        text:
          audience.data === undefined
            ? listName
            : say('audienceOf', { list: listName, count: people, all: audience.data.subscribers }),
      },
      test: { isReady: isTested, text: isTested ? say('tested') : say('notTested') },
      time: {
        isReady: hasTime,
        isTodo: !hasTime,
        text:
          when === 'now'
            ? say('atOnce')
            : campaign.scheduledTo === undefined
              ? say('timeLacks')
              : `${dateTime(campaign.scheduledTo, campaign.timeZone)} ${campaign.timeZone}`,
      },
      send: { isReady: false, text: say('sendCost', { count: people }) },
    }
  const maySend = may('emails.send')
  const isReady = hasContent && !isUnsaved && people > 0 && hasTime && problem === undefined && !others

  /** The first step that is not ready; undefined also while the audience is counted. */
  const unready = (['content', 'audience', 'time'] as const).find((one) => !marks[one].isReady && marks[one].isTodo)
  const shutBy = others
    ? say('othersFirst')
    : unready === undefined || (unready === 'content' && hasContent && !isUnsaved && problem === undefined)
      ? undefined
      : `${say(labels[unready])}: ${marks[unready].text}`

  const schedule = async () => {
    if (!(await flush())) throw new Error(say('notSaved'))
    const scheduledTo = when === 'now' ? new Date().toISOString() : campaign.scheduledTo
    const scheduled = await call(projectId, 'patch', '/campaigns/{id}', {
      params: { id: campaign._id },
      body: { basedOn: version(), status: 'scheduled', ...(scheduledTo !== undefined && { scheduledTo }) },
    })
    setCampaign(scheduled)
    await client.invalidateQueries({ queryKey: [projectId] })
    onReload()
  }
  const backToDraft = async () => {
    setFailed(undefined)
    try {
      setCampaign(
        await call(projectId, 'patch', '/campaigns/{id}', { params: { id: campaign._id }, body: { status: 'draft' } }),
      )
      onReload()
    } catch (thrown) {
      setFailed(thrown)
    }
  }

  const sendLabel = when === 'now' ? say('sendTo', { count: people }) : say('scheduleFor', { count: people })
  const sendButton = maySend && !isReadOnly && (
    <Button
      kind="primary"
      icon="send"
      isDisabled={!isReady && shutBy === undefined}
      why={shutBy}
      onPress={() => setSending(true)}
    >
      {sendLabel}
    </Button>
  )
  return (
    <PageFrame
      title={draft.name === '' ? campaign.name : draft.name}
      crumb={{ label: say('campaigns'), href: href('/campaigns') }}
      under={
        <span className={css.row}>
          <StatusBadge status={campaign.status} filled />
          {!isReadOnly && <SaveNote save={save} />}
        </span>
      }
      actions={
        <>
          {campaign.status !== 'draft' && may('content.edit') && (
            <Button icon="pencil" onPress={() => void backToDraft()}>
              {say('backToDraft')}
            </Button>
          )}
          {sendButton}
        </>
      }
    >
      {failed !== undefined && <ErrorNote error={failed} />}
      {isScheduled && campaign.scheduledTo !== undefined && (
        <Note>
          {say('scheduledNote', { time: `${dateTime(campaign.scheduledTo, campaign.timeZone)} ${campaign.timeZone}` })}
        </Note>
      )}
      <DraftNotes
        draft={{ save, others: isReadOnly ? undefined : others, flush, keepMine, discard }}
        isRestored={unsaved !== undefined}
        onReload={onReload}
        gone={
          <Note
            kind="bad"
            action={
              <Button small onPress={() => void saveAsNew()}>
                {say('saveAsNew')}
              </Button>
            }
          >
            {say('draftDeleted')}
          </Note>
        }
      />
      <nav className={css.steps} aria-label={say('checks')}>
        {steps.map((one) => {
          const { isReady: ok, isTodo = false, text } = marks[one]
          return (
            <button
              key={one}
              type="button"
              className={css.step}
              aria-current={one === step ? 'step' : undefined}
              onClick={() => set({ step: one })}
            >
              <span className={`${css.mark} ${ok ? css.ready : isTodo ? css.todo : ''}`}>
                {ok ? <Icon name="check" size={12} /> : isTodo ? <Icon name="warning" size={11} /> : null}
              </span>
              <span>
                <b>{say(labels[one])}</b>
                <small>{text}</small>
              </span>
            </button>
          )
        })}
      </nav>
      {step === 'content' && (
        <>
          {hasSamples && !isReadOnly && <Note kind="warn">{say('sampleContent')}</Note>}
          <ContentStep
            campaign={campaign}
            draft={draft}
            problems={problems}
            savedAt={stored.updatedAt}
            isReadOnly={isReadOnly}
            onChange={(next, changes) => {
              setDraft(next)
              if (Object.keys(changes).length > 0) change(changes)
            }}
          />
          <AudienceCards campaign={stored} audience={audience} isStale={isStale}>
            <p>
              <Button kind="linklike" onPress={() => set({ step: 'audience' })}>
                {say('changeAudience')}
              </Button>
            </p>
          </AudienceCards>
        </>
      )}
      {step === 'audience' && (
        <AudienceStep
          campaign={campaign}
          audience={audience}
          isStale={isStale}
          onChange={write}
          isReadOnly={isReadOnly}
        />
      )}
      {step === 'test' && (
        <TestStep
          campaign={campaign}
          flush={flush}
          onTested={() => {
            localStorage.setItem(testedAt(campaign._id), mailed)
            setTested(mailed)
          }}
        />
      )}
      {step === 'time' && (
        <TimeStep campaign={campaign} when={when} onWhen={setWhen} onChange={write} isReadOnly={isReadOnly} />
      )}
      {step === 'send' && (
        <section className={`${css.card} ${css.narrow}`}>
          <h2>{say('stepSend')}</h2>
          <dl className={css.facts}>
            {steps
              .filter((one) => one !== 'send')
              .map((one) => (
                <div key={one} style={{ display: 'contents' }}>
                  <dt>{say(labels[one])}</dt>
                  <dd>{marks[one].text}</dd>
                </div>
              ))}
          </dl>
          {audience.data && <Limits preview={audience.data} />}
          {problem !== undefined && <Note kind="bad">{problem}</Note>}
          {maySend ? <div className={css.row}>{sendButton}</div> : <Note kind="warn">{say('mayNotSend')}</Note>}
        </section>
      )}
      <FormDialog
        title={say('sendTitle', { name: draft.name, count: people })}
        isOpen={isSending}
        onClose={() => setSending(false)}
        submit={sendLabel}
        onSubmit={schedule}
      >
        <dl className={css.facts}>
          <dt>{say('from')}</dt>
          <dd>{sender ? senderText(sender) : say('firstSender')}</dd>
          <dt>{say('subject')}</dt>
          <dd>{draft.subject}</dd>
          <dt>{say('list')}</dt>
          <dd>{listName}</dd>
          <dt>{say('whoGetsIt')}</dt>
          <dd>
            {say('getItAndOthers', {
              count: people,
              all: audience.data?.subscribers ?? 0,
              left: (audience.data?.subscribers ?? 0) - people,
            })}
          </dd>
          <dt>{say('time')}</dt>
          <dd>{marks.time.text}</dd>
          <dt>{say('cost')}</dt>
          <dd>{say('sendCost', { count: people })}</dd>
        </dl>
        {audience.data && <Limits preview={audience.data} />}
        <p>{say('checkedAgain')}</p>
        {hasSamples && <Note kind="warn">{say('sampleContent')}</Note>}
        {!isTested && <Note kind="warn">{say('notTested')}</Note>}
        {warnings.length > 0 && <Note kind="warn">{say('warningCount', { count: warnings.length })}</Note>}
      </FormDialog>
    </PageFrame>
  )
}
