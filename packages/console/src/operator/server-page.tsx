import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { callOperator } from '../api/client.js'
import type { ServerState } from '../api/types.js'
import sendingCss from '../sending/sending.module.css'
import { PageFrame } from '../shell/layout.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Badge, ErrorNote, Note, Skeleton } from '../ui/states.js'
import { Second, Table } from '../ui/table.js'
import css from './operator.module.css'

/** In ms. */
const refreshTime = 10_000

const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)

const Queues = ({ state: { lanes, webhooksWaiting, unreadEvents } }: { readonly state: ServerState }) => {
  const { say, number, since } = useText()
  return (
    <section className={sendingCss.stack} aria-label={say('opQueues')}>
      <h2>{say('opQueues')}</h2>
      <Table<ServerState['lanes'][number]>
        label={say('opQueues')}
        rows={lanes}
        keyOf={({ lane }) => lane}
        nameOf={({ lane }) => say(lane === 'bulk' ? 'opBulk' : 'opTransactional')}
        columns={[
          { id: 'lane', label: say('opQueue'), cell: () => null },
          { id: 'queued', label: say('opQueued'), numeric: true, cell: ({ queued }) => number(queued) },
          { id: 'sending', label: say('opSending'), numeric: true, cell: ({ sending }) => number(sending) },
          { id: 'uncertain', label: say('opUncertain'), numeric: true, cell: ({ uncertain }) => number(uncertain) },
          { id: 'oldest', label: say('opOldest'), cell: ({ oldest }) => (oldest === undefined ? '–' : since(oldest)) },
        ]}
      />
      <dl className={css.answers}>
        <Fact label={say('opWebhooksWaiting')}>{number(webhooksWaiting)}</Fact>
        <Fact label={say('opUnread')}>{number(unreadEvents)}</Fact>
      </dl>
    </section>
  )
}

const channelName = ({ projectId, region }: ServerState['channels'][number], server: string) =>
  [projectId ?? server, region].filter((part) => part !== undefined).join(' · ')

const Channels = ({ channels }: Pick<ServerState, 'channels'>) => {
  const { say, number } = useText()
  return (
    <section className={sendingCss.stack} aria-label={say('opChannels')}>
      <h2>{say('opChannels')}</h2>
      {channels.length === 0 ? (
        <p>{say('opNoChannels')}</p>
      ) : (
        <Table<ServerState['channels'][number]>
          label={say('opChannels')}
          rows={channels}
          keyOf={(channel) => channelName(channel, 'server')}
          nameOf={(channel) => channelName(channel, say('opServer'))}
          columns={[
            { id: 'channel', label: say('opChannel'), cell: ({ reason }) => reason && <Second>{reason}</Second> },
            {
              id: 'rate',
              label: say('perSecond'),
              numeric: true,
              cell: ({ ratePerSecond }) => (ratePerSecond === undefined ? say('unlimited') : number(ratePerSecond)),
            },
            { id: 'used', label: say('opUsed'), numeric: true, cell: ({ usedPerSecond }) => number(usedPerSecond) },
          ]}
        />
      )}
    </section>
  )
}

const Facts = ({ server }: { readonly server: NonNullable<ServerState['server']> }) => {
  const { say, dateTime } = useText()
  const { version, store, node, mailer, roles, startedAt, outbox, backup } = server
  return (
    <section className={sendingCss.card} aria-label={say('opServer')}>
      {backup?.problem !== undefined && <Note kind="bad">{say('opBackupProblem', { problem: backup.problem })}</Note>}
      <dl className={css.answers}>
        <Fact label={say('opVersion')}>{version}</Fact>
        <Fact label={say('opStore')}>{store}</Fact>
        <Fact label="Node.js">{node}</Fact>
        <Fact label={say('opMailer')}>{mailer}</Fact>
        <Fact label={say('opRoles')}>{roles.join(', ')}</Fact>
        <Fact label={say('opStarted')}>{dateTime(startedAt)}</Fact>
        {outbox && (
          <Fact label={say('opOutbox')}>
            <a href="../../outbox">{say('opOutboxMails', { count: outbox.mails })}</a>
          </Fact>
        )}
        <Fact label={say('opBackupLast')}>
          {backup?.lastAt === undefined ? say(backup ? 'opBackupNever' : 'opNoBackup') : dateTime(backup.lastAt)}
        </Fact>
        {backup?.nextAt !== undefined && <Fact label={say('opBackupNext')}>{dateTime(backup.nextAt)}</Fact>}
        {backup && <Fact label={say('opBackupWhere')}>{backup.directory}</Fact>}
      </dl>
    </section>
  )
}

/** As `posthorn doctor`; on demand, because some checks connect to the relay. */
const Checks = () => {
  const { say } = useText()
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['operator', 'checks'],
    queryFn: ({ signal }) => callOperator('get', '/server/checks', { signal }),
    enabled: false,
  })
  return (
    <section className={sendingCss.stack} aria-label={say('opChecks')}>
      <div className={sendingCss.head}>
        <h2>{say('opChecks')}</h2>
        <Button icon="retry" isDisabled={isFetching} onPress={() => void refetch()}>
          {isFetching ? say('working') : say('opRunChecks')}
        </Button>
      </div>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && (
        <Table<(typeof data)['checks'][number]>
          label={say('opChecks')}
          rows={data.checks}
          keyOf={({ what, says }) => `${what} ${says}`}
          nameOf={({ what }) => what}
          columns={[
            {
              id: 'what',
              label: say('opCheck'),
              cell: ({ ok, todo }) => (
                <Badge tone={!ok ? 'badly' : todo === undefined ? 'good' : 'warning'} icon={ok ? 'check' : 'warning'}>
                  {say(ok ? 'opOk' : 'opFailed')}
                </Badge>
              ),
            },
            {
              id: 'says',
              label: say('opFound'),
              cell: ({ says, todo }) => (
                <div>
                  {says}
                  {todo !== undefined && <p className={css.advice}>{todo}</p>}
                </div>
              ),
            },
          ]}
        />
      )}
    </section>
  )
}

export const ServerPage = () => {
  const { say } = useText()
  const { data, error, refetch } = useQuery({
    queryKey: ['operator', 'server'],
    queryFn: ({ signal }) => callOperator('get', '/server', { signal }),
    refetchInterval: refreshTime,
  })
  return (
    <PageFrame title={say('opServer')}>
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <>
          {data.notReady !== undefined && <Note kind="bad">{data.notReady}</Note>}
          {data.isPaused && <Note kind="warn">{say('opPaused')}</Note>}
          <Queues state={data} />
          <Channels channels={data.channels} />
          {data.server && <Facts server={data.server} />}
          {data.hasChecks && <Checks />}
        </>
      )}
    </PageFrame>
  )
}
