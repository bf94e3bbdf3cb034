import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { OperatorProject, OperatorProjectRow } from '../api/types.js'
import sendingCss from '../sending/sending.module.css'
import { Figure } from '../sending/sending-card.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Long } from '../ui/long.js'
import { Badge, Note } from '../ui/states.js'
import { DecisionDialog, type DecisionKind, decisionTitle } from './decision-dialog.js'
import css from './operator.module.css'

export const ProjectStatus = ({ status, restricted }: Pick<OperatorProjectRow, 'status' | 'restricted'>) => {
  const { say } = useText()
  if (restricted)
    return (
      <Badge tone="badly" icon="barred" filled>
        {say('opRestricted')}
      </Badge>
    )
  const isSandbox = status === 'sandbox'
  return (
    <Badge tone={isSandbox ? 'warning' : 'good'} icon={isSandbox ? 'info' : 'check'} filled>
      {say(isSandbox ? 'sandbox' : status === 'byoCloudSes' ? 'cloudAccount' : 'production')}
    </Badge>
  )
}

const Answer = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)

const Application = ({ request }: { readonly request: NonNullable<OperatorProject['request']> }) => {
  const { say, number } = useText()
  const { application, answer, limitIncreases } = request
  const increase = limitIncreases.at(-1)
  return (
    <dl className={css.answers}>
      {application && (
        <>
          <Answer label={say('opVolume')}>{number(application.volume)}</Answer>
          <Answer label={say('opProduct')}>{application.productDescription}</Answer>
          <Answer label={say('opMails')}>{application.typeOfEmails}</Answer>
          <Answer label={say('opSource')}>{application.contactsSource}</Answer>
          <Answer label={say('opWhy')}>{application.whyBluefox}</Answer>
          <Answer label={say('opWebsite')}>{application.website}</Answer>
        </>
      )}
      {answer !== undefined && <Answer label={say('opAnswer')}>{answer}</Answer>}
      {increase && (
        <>
          <Answer label={say('opAskedLimit')}>
            {increase.requestedLimit === 0 ? say('unlimited') : number(increase.requestedLimit)}
          </Answer>
          <Answer label={say('reason')}>{increase.reason}</Answer>
          {increase.answer !== undefined && <Answer label={say('opAnswer')}>{increase.answer}</Answer>}
        </>
      )}
    </dl>
  )
}

const actsOn = ({ status, request }: OperatorProject): readonly DecisionKind[] => {
  const isLimitWaiting = request?.limitIncreases.at(-1)?.status === 'pending'
  return [
    ...(request?.status !== 'approved' && status !== 'byoCloudSes' ? (['access/approve'] as const) : []),
    ...(request?.status === 'pending' ? (['access/decline'] as const) : []),
    ...(isLimitWaiting ? (['limit/approve', 'limit/decline'] as const) : []),
  ]
}

const moreActsOn = ({ status, restricted, request }: OperatorProject): readonly DecisionKind[] => [
  ...(status === 'production' ? (['limit'] as const) : []),
  ...(request?.status === 'approved' ? (['access/revoke'] as const) : []),
  ...(restricted ? (['unrestrict'] as const) : status === 'byoCloudSes' ? [] : (['restrict'] as const)),
]

/** Figures of a project, and the decisions that an operator may take. `whole`: all decisions. */
export const ProjectCard = ({
  project,
  whole = false,
}: {
  readonly project: OperatorProject
  readonly whole?: boolean
}) => {
  const { say, number, percent, date } = useText()
  const [kind, setKind] = useState<DecisionKind>()
  const { _id, name, accountId, accountName, request, domains, monthlyLimit, restrictedReason } = project
  const acts = [...actsOn(project), ...(whole ? moreActsOn(project) : [])]
  return (
    <section className={sendingCss.card} aria-label={name}>
      <div className={sendingCss.head}>
        {!whole && (
          <h2>
            <Link href={`/operator/projects/${_id}`}>
              <Long>{name}</Long>
            </Link>
          </h2>
        )}
        <ProjectStatus {...project} />
        {request?.status === 'pending' && (
          <Badge tone="running" icon="clock">
            {say('opApplied')}
          </Badge>
        )}
        <Link href={`/operator/accounts/${accountId}`}>
          <Long>{accountName}</Long>
        </Link>
        {request && <span className={sendingCss.quiet}>{date(request.updatedAt)}</span>}
      </div>
      {restrictedReason !== undefined && (
        <Note kind="bad">{say('sendingRestricted', { reason: restrictedReason })}</Note>
      )}
      <dl className={sendingCss.figures}>
        <Figure label={say('opSent30')} value={number(project.sent)} />
        <Figure
          label={say('sentThisMonth')}
          value={number(project.sentThisMonth)}
          under={monthlyLimit === 0 ? say('unlimited') : say('ofLimit', { limit: number(monthlyLimit) })}
        />
        {(['bounce', 'complaint'] as const).map((rate) => (
          <Figure
            key={rate}
            label={say(rate === 'bounce' ? 'bounceRate' : 'complaintRate')}
            value={percent(project[rate].rate / 100, 2)}
            under={say('ofThreshold', { share: percent(project[rate].pct / 100, 0) })}
          />
        ))}
        <Figure label={say('creditLeft')} value={number(project.credits)} />
      </dl>
      {domains.length > 0 && (
        <div className={css.domains}>
          {domains.map(({ domain, region, verified }) => (
            <Badge
              key={`${domain} ${region}`}
              tone={verified ? 'good' : 'warning'}
              icon={verified ? 'check' : 'warning'}
            >
              {domain}
            </Badge>
          ))}
        </div>
      )}
      {request && <Application request={request} />}
      {acts.length > 0 && (
        <div className={css.acts}>
          {acts.map((one) => (
            <Button
              key={one}
              {...(one.endsWith('approve') ? { kind: 'primary' as const } : {})}
              danger={one === 'restrict' || one === 'access/revoke'}
              onPress={() => setKind(one)}
            >
              {say(decisionTitle(one))}
            </Button>
          ))}
        </div>
      )}
      {kind && <DecisionDialog kind={kind} project={project} onClose={() => setKind(undefined)} />}
    </section>
  )
}
