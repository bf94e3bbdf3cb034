import { useState } from 'react'
import type { Problem } from '../api/errors.js'
import type { Campaign } from '../api/types.js'
import { useSettings } from '../settings/project-queries.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { Checkbox, Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { Long } from '../ui/long.js'
import { Note, Tag } from '../ui/states.js'
import css from './email-settings.module.css'

export type Feed = Campaign['feeds'][number]
export type EmailSettings = {
  readonly feeds: readonly Feed[]
  /** Absent: as the project. */
  readonly tracking: NonNullable<Campaign['tracking']> | undefined
}
/** Null: as the project. */
export type EmailSettingsChanges = {
  readonly feeds?: Feed[]
  readonly tracking?: EmailSettings['tracking'] | null
}

export const emailSettingsOf = ({
  feeds,
  tracking,
}: {
  readonly feeds: readonly Feed[]
  readonly tracking?: EmailSettings['tracking'] | null
}): EmailSettings => ({ feeds, tracking: tracking ?? undefined })

type Props<T extends EmailSettings> = {
  readonly settings: T
  readonly onChange: (settings: T, changes: EmailSettingsChanges) => void
  readonly isReadOnly: boolean
}

/** As the API limits them. */
const mostFeeds = 20
const formats = { 'rss-xml': 'feedRss', json: 'feedJson' } as const satisfies Record<Feed['feedType'], string>

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const FeedDialog = ({
  feed,
  others,
  onClose,
  onDone,
}: {
  readonly feed: Feed | undefined
  readonly others: readonly Feed[]
  readonly onClose: () => void
  readonly onDone: (feed: Feed) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const [url, setUrl] = useState(feed?.url ?? '')
  const [feedType, setType] = useState<Feed['feedType']>(feed?.feedType ?? 'rss-xml')
  const [name, setName] = useState(feed?.variableName ?? '')
  const [required, setRequired] = useState(feed?.required ?? false)
  const [address, variableName] = [url.trim(), name.trim()]
  const nameProblem = !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variableName)
    ? say('feedNameWrong')
    : others.some((one) => one.variableName === variableName)
      ? say('feedNameTaken')
      : undefined
  return (
    <FormDialog
      title={say(feed ? 'feedEdit' : 'feedAdd')}
      isOpen
      onClose={onClose}
      submit={say(feed ? 'save' : 'feedAdd')}
      why={
        lacks({ [say('feedUrl')]: address === '', [say('feedName')]: variableName === '' }) ??
        (!isHttp(address) || nameProblem !== undefined ? say('fixMarked') : undefined)
      }
      onSubmit={async () => onDone({ ...feed, url: address, feedType, variableName, required })}
    >
      <TextField
        label={say('feedUrl')}
        value={url}
        onChange={setUrl}
        maxLength={2000}
        placeholder="https://"
        autoComplete="off"
        autoFocus
        error={address === '' || isHttp(address) ? undefined : say('feedUrlWrong')}
      />
      <Select
        label={say('feedFormat')}
        value={feedType}
        onChange={setType}
        options={(['rss-xml', 'json'] as const).map((value) => ({ value, label: say(formats[value]) }))}
      />
      <TextField
        label={say('feedName')}
        value={name}
        onChange={setName}
        maxLength={100}
        autoComplete="off"
        note={say('feedNameNote')}
        error={variableName === '' ? undefined : nameProblem}
      />
      <Checkbox isSelected={required} onChange={setRequired}>
        {say('feedRequired')}
      </Checkbox>
    </FormDialog>
  )
}

const Feeds = <T extends EmailSettings>({
  settings,
  onChange,
  isReadOnly,
  problems,
}: Props<T> & { readonly problems: readonly Problem[] }) => {
  const { say } = useText()
  const { feeds } = settings
  /** Index of the feed; the length for a new one. */
  const [open, setOpen] = useState<number>()
  const write = (next: Feed[]) => onChange({ ...settings, feeds: next }, { feeds: next })
  return (
    <section className={css.card} aria-label={say('feeds')}>
      <h2>{say('feeds')}</h2>
      <p className={css.note}>{say('feedsText')}</p>
      {problems
        .filter(({ field }) => field === 'feeds' || field.startsWith('feeds['))
        .map(({ field, sentence }) => (
          <Note key={field} kind="bad">
            {sentence}
          </Note>
        ))}
      {feeds.length > 0 && (
        <ul className={css.feeds}>
          {feeds.map((feed, at) => {
            const { variableName, url, feedType, required } = feed
            return (
              <li key={variableName}>
                <div className={css.feed}>
                  <Long>{`{{${variableName}}}`}</Long>
                  <small>
                    <Long>{url}</Long>
                  </small>
                </div>
                <Tag>{say(formats[feedType])}</Tag>
                {required === true && <Tag>{say('feedIsRequired')}</Tag>}
                {!isReadOnly && (
                  <>
                    <Button
                      kind="quiet"
                      small
                      icon="pencil"
                      aria-label={say('feedEditOne', { name: variableName })}
                      onPress={() => setOpen(at)}
                    />
                    <Button
                      kind="quiet"
                      small
                      icon="trash"
                      aria-label={say('feedRemove', { name: variableName })}
                      onPress={() => write(feeds.filter((one) => one !== feed))}
                    />
                  </>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {!isReadOnly && feeds.length < mostFeeds && (
        <Button icon="plus" onPress={() => setOpen(feeds.length)}>
          {say('feedAdd')}
        </Button>
      )}
      {open !== undefined && (
        <FeedDialog
          feed={feeds[open]}
          others={feeds.filter((_, at) => at !== open)}
          onClose={() => setOpen(undefined)}
          onDone={(feed) => write([...feeds.slice(0, open), feed, ...feeds.slice(open + 1)])}
        />
      )}
    </section>
  )
}

const Tracking = <T extends EmailSettings>({ settings, onChange, isReadOnly }: Props<T>) => {
  const { say } = useText()
  const project = useSettings().data?.tracking
  const { tracking } = settings
  const now = { opens: true, clicks: true, ...project, ...tracking }
  const choose = (next: EmailSettings['tracking']) =>
    onChange({ ...settings, tracking: next }, { tracking: next ?? null })
  return (
    <section className={css.card} aria-label={say('setTracking')}>
      <h2>{say('setTracking')}</h2>
      <Checkbox
        isSelected={!tracking}
        isDisabled={isReadOnly || !project}
        onChange={(is) => choose(is ? undefined : now)}
      >
        {say('trackLikeProject')}
      </Checkbox>
      {(['opens', 'clicks'] as const).map((kind) => (
        <Checkbox
          key={kind}
          isSelected={now[kind]}
          isDisabled={isReadOnly || !tracking}
          onChange={(is) => choose({ ...now, [kind]: is })}
        >
          {say(kind === 'opens' ? 'setOpens' : 'setClicks')}
        </Checkbox>
      ))}
    </section>
  )
}

export const EmailSettingsFields = <T extends EmailSettings>(
  props: Props<T> & { readonly problems: readonly Problem[] },
) => (
  <div className={css.cards}>
    <Feeds {...props} />
    <Tracking {...props} />
  </div>
)
