import type { ResponseOf } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useUrlState } from '../shell/url-state.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink } from '../ui/button.js'
import type { IconName } from '../ui/icons.js'
import { Badge, ErrorNote, Note, Skeleton, type Tone } from '../ui/states.js'
import { type Column, Second, Table } from '../ui/table.js'
import { ApplyDialog, LimitDialog } from './access-dialogs.js'
import { DistanceBars } from './distance.js'
import { MailboxProviders } from './mailbox-providers.js'
import css from './sending.module.css'
import { SendingCard } from './sending-card.js'
import { useSendingFigures } from './sending-queries.js'

type Access = ResponseOf<'get', '/production-access'>
type Increase = Access['limitIncreases'][number]
type Deliverability = ResponseOf<'get', '/production/deliverability'>
type OfDomain = Deliverability['domains'][number]

const looks = {
  pending: ['running', 'clock', 'accessPending'],
  approved: ['good', 'check', 'accessApproved'],
  declined: ['badly', 'close', 'accessDeclined'],
  revoked: ['badly', 'barred', 'accessRevoked'],
} as const satisfies Readonly<Record<string, readonly [Tone, IconName, keyof Messages]>>

const StateBadge = ({ state }: { readonly state: keyof typeof looks }) => {
  const { say } = useText()
  const [tone, icon, label] = looks[state]
  return (
    <Badge tone={tone} icon={icon}>
      {say(label)}
    </Badge>
  )
}

const nextSteps = {
  none: 'accessNoneText',
  pending: 'accessPendingText',
  approved: 'accessApprovedText',
  declined: 'accessDeclinedText',
  revoked: 'accessRevokedText',
} as const satisfies Readonly<Record<Access['requestStatus'], keyof Messages>>

const Request = ({ access, onApply }: { readonly access: Access; readonly onApply: () => void }) => {
  const { say } = useText()
  const { href, may } = useProject()
  const { requestStatus, domainStatus } = access
  const mayApply = requestStatus !== 'pending' && requestStatus !== 'approved' && may('settings.edit')
  const hasDomain = domainStatus === 'verified'
  return (
    <section className={css.card} aria-labelledby="access">
      <div className={css.head}>
        <h2 id="access">{say('accessTitle')}</h2>
        {requestStatus !== 'none' && <StateBadge state={requestStatus} />}
      </div>
      <p>{say(nextSteps[requestStatus])}</p>
      {mayApply && !hasDomain && (
        <Note
          action={
            <ButtonLink href={href('/sending/domains')} small>
              {say('homeSeeSending')}
            </ButtonLink>
          }
        >
          {say('accessNeedsDomain')}
        </Note>
      )}
      {mayApply && (
        <div>
          <Button kind="primary" onPress={onApply}>
            {say(requestStatus === 'none' ? 'accessApply' : 'accessApplyAgain')}
          </Button>
        </div>
      )}
    </section>
  )
}

const Increases = ({ access, onAsk }: { readonly access: Access; readonly onAsk: () => void }) => {
  const { say, number, date } = useText()
  const { may } = useProject()
  const mails = (limit: number) => (limit === 0 ? say('unlimited') : number(limit))
  const isPending = access.limitIncreases.some(({ status }) => status === 'pending')
  const columns: readonly Column<Increase>[] = [
    { id: 'limit', label: say('accessLimit'), cell: ({ reason }) => <Second>{reason}</Second> },
    { id: 'state', label: say('status'), cell: ({ status }) => <StateBadge state={status} /> },
    {
      id: 'approved',
      label: say('accessGranted'),
      cell: ({ approvedLimit }) => (approvedLimit === undefined ? '–' : mails(approvedLimit)),
    },
    { id: 'time', label: say('time'), isShort: true, cell: ({ createdAt }) => date(createdAt) },
  ]
  return (
    <section className={css.card} aria-labelledby="increases">
      <div className={css.head}>
        <h2 id="increases" className={css.grow}>
          {say('accessIncreases')}
        </h2>
        {may('settings.edit') && !isPending && access.monthlyLimit > 0 && (
          <Button onPress={onAsk}>{say('homeAskLimit')}</Button>
        )}
      </div>
      <p>
        {say('accessMonthly', { limit: mails(access.monthlyLimit) })} {isPending && say('accessIncreasePending')}
      </p>
      {access.limitIncreases.length > 0 && (
        <Table
          label={say('accessIncreases')}
          columns={columns}
          rows={access.limitIncreases.toReversed()}
          keyOf={({ createdAt }) => createdAt}
          nameOf={({ requestedLimit }) => mails(requestedLimit)}
        />
      )}
    </section>
  )
}

const ByDomain = ({ domains }: Pick<Deliverability, 'domains'>) => {
  const { say, number, percent } = useText()
  const rate = (n: number, sent: number) => (sent === 0 ? '–' : `${number(n)} · ${percent(n / sent, 3)}`)
  const columns: readonly Column<OfDomain>[] = [
    { id: 'domain', label: say('domain'), cell: ({ region }) => <Second>{region}</Second> },
    { id: 'sent', label: say('statusSent'), numeric: true, cell: ({ sent }) => number(sent) },
    { id: 'bounces', label: say('bounceRate'), numeric: true, cell: ({ bounces, sent }) => rate(bounces, sent) },
    {
      id: 'complaints',
      label: say('complaintRate'),
      numeric: true,
      cell: ({ complaints, sent }) => rate(complaints, sent),
    },
  ]
  return (
    <section className={css.stack} aria-labelledby="by-domain">
      <h2 id="by-domain">{say('reputationDomains')}</h2>
      <Table
        label={say('reputationDomains')}
        columns={columns}
        rows={domains}
        keyOf={({ domain, region }) => `${domain} ${region}`}
        nameOf={({ domain }) => domain}
      />
    </section>
  )
}

export const ReputationPage = () => {
  const { say } = useText()
  const { href } = useProject()
  const { get, set } = useUrlState()
  const { data, error, refetch } = useSendingFigures()
  const close = () => set({ ask: undefined })
  const isOwn = data?.project.status === 'byoCloudSes'
  return (
    <PageFrame title={say('reputation')}>
      <SendingCard />
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton rows={6} />
      ) : (
        <>
          {data.production && (
            <section className={css.card} aria-labelledby="distance">
              <div className={css.head}>
                <h2 id="distance" className={css.grow}>
                  {say('homeDistance')}
                </h2>
                <ButtonLink kind="linklike" href={`${href('/deliveries')}?status=failed`}>
                  {say('reputationFailed')}
                </ButtonLink>
              </div>
              <DistanceBars rates={data.production} />
              <p className={css.quiet}>{say(isOwn ? 'reputationOwnText' : 'reputationText')}</p>
            </section>
          )}
          {data.production && <MailboxProviders />}
          {data.production && data.production.domains.length > 0 && <ByDomain domains={data.production.domains} />}
          {!isOwn && <Request access={data.access} onApply={() => set({ ask: 'access' })} />}
          {data.project.status === 'production' && (
            <Increases access={data.access} onAsk={() => set({ ask: 'limit' })} />
          )}
          <ApplyDialog isOpen={get('ask') === 'access'} onClose={close} />
          <LimitDialog isOpen={get('ask') === 'limit'} current={data.access.monthlyLimit} onClose={close} />
        </>
      )}
    </PageFrame>
  )
}
