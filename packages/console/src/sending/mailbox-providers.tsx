import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import type { ResponseOf } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'
import { Badge, ErrorNote, Skeleton } from '../ui/states.js'
import { type Column, Table } from '../ui/table.js'
import css from './sending.module.css'

type Provider = ResponseOf<'get', '/mailbox-providers'>['providers'][number]

/** Names of companies, the same in every language. */
const names: Readonly<Record<Exclude<Provider['provider'], 'other'>, string>> = {
  gmail: 'Gmail',
  microsoft: 'Outlook, Hotmail',
  yahoo: 'Yahoo, AOL',
  apple: 'iCloud',
  gmx: 'GMX, WEB.DE',
  telekom: 'T-Online',
  freenet: 'freenet',
  orange: 'Orange',
  free: 'Free',
  sfr: 'SFR',
  laposte: 'La Poste',
  libero: 'Libero, Virgilio',
  proton: 'Proton',
  comcast: 'Comcast',
  wp: 'WP, o2',
  onet: 'Onet',
  interia: 'Interia',
  ziggo: 'Ziggo',
  kpn: 'KPN',
  uol: 'UOL',
  yandex: 'Yandex',
  mailru: 'Mail.ru',
  seznam: 'Seznam',
  tencent: 'QQ',
  netease: 'NetEase',
}

const windows = ['7', '30', '90'] as const
const isWindow = (text: string | undefined): text is (typeof windows)[number] => windows.some((one) => one === text)

/** How the providers of the recipients' mailboxes take the mails, so that one of them alone that refuses is seen. */
export const MailboxProviders = () => {
  const { say, number, percent } = useText()
  const { projectId } = useProject()
  const { get, set } = useUrlState()
  const asked = get('days')
  const days = isWindow(asked) ? asked : '30'
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'mailbox-providers', days],
    queryFn: ({ signal }) =>
      call(projectId, 'get', '/mailbox-providers', { query: { days: Number(days) as 7 | 30 | 90 }, signal }),
    placeholderData: keepPreviousData,
  })
  const nameOf = ({ provider }: Provider) => (provider === 'other' ? say('providerOther') : names[provider])
  const rate = (n: number, of: number) => (of === 0 ? '–' : `${number(n)} · ${percent(n / of, 2)}`)
  const columns: readonly Column<Provider>[] = [
    {
      id: 'provider',
      label: say('provider'),
      cell: ({ isWorse }) =>
        isWorse && (
          <Badge tone="badly" icon="warning">
            {say('providerWorse')}
          </Badge>
        ),
    },
    { id: 'sent', label: say('statusSent'), numeric: true, cell: ({ sent }) => number(sent) },
    {
      id: 'refused',
      label: say('providerRefused'),
      numeric: true,
      cell: ({ refused, sent }) => rate(refused, sent + refused),
    },
    {
      id: 'complaints',
      label: say('complaintRate'),
      numeric: true,
      cell: ({ complaints, sent }) => rate(complaints, sent),
    },
    { id: 'opens', label: say('opened'), numeric: true, cell: ({ opens, sent }) => rate(opens, sent) },
  ]
  return (
    <section className={css.stack} aria-labelledby="by-provider">
      <div className={css.head}>
        <h2 id="by-provider" className={css.grow}>
          {say('providersTitle')}
        </h2>
        <Segmented
          label={say('providersSpan')}
          value={days}
          onChange={(next) => set({ days: next === '30' ? undefined : next })}
          choices={windows.map((value) => ({ value, label: say('providersDays', { count: Number(value) }) }))}
        />
      </div>
      <p className={css.quiet}>{say('providersText')}</p>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={4} />
      ) : data.providers.length === 0 ? (
        <p>{say('providersNone')}</p>
      ) : (
        <Table
          label={say('providersTitle')}
          columns={columns}
          rows={data.providers}
          keyOf={({ provider }) => provider}
          nameOf={nameOf}
        />
      )}
    </section>
  )
}
