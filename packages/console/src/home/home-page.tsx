import { useLocation } from 'wouter'
import { DistanceBars } from '../sending/distance.js'
import { PageFrame } from '../shell/layout.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button, ButtonLink } from '../ui/button.js'
import { Icon } from '../ui/icons.js'
import { failedReads, ReadErrorNote, Skeleton } from '../ui/states.js'
import { Mails, RecentActivity } from './happened.js'
import css from './home.module.css'
import { type Home, useHome } from './home-queries.js'
import { isExampleAddress, problemsOf } from './problems.js'
import { Line, Waits } from './waits.js'

const Wrong = ({ home: { facts, isChecking, failed } }: { readonly home: Home }) => {
  const { say, dateTime, percent } = useText()
  const { href } = useProject()
  const problems = facts ? problemsOf(facts, { say, dateTime, percent: (share) => percent(share, 0) }) : []
  return (
    <section className={css.part} aria-labelledby="wrong">
      <h2 id="wrong">
        {say('homeWrong')}
        {problems.length > 0 && <span className={css.note}>{problems.length}</span>}
      </h2>
      <ReadErrorNote failed={failed} />
      {isChecking && problems.length === 0 ? (
        <Skeleton rows={2} />
      ) : problems.length > 0 ? (
        <div className={css.card}>
          <ul>
            {problems.map(({ id, icon, tone, title, text, fix, path }) => (
              <Line key={`${id} ${fix}`} {...{ icon, tone, title, text }} fix={{ label: say(fix), href: href(path) }} />
            ))}
          </ul>
        </div>
      ) : (
        failed.length === 0 && (
          <p className={css.fine}>
            <Icon name="check" />
            {say('homeNothingWrong')}
          </p>
        )
      )}
    </section>
  )
}

const FirstSteps = ({
  home: { domains, senders, contacts, drafts, scheduled, running, sent },
}: {
  readonly home: Home
}) => {
  const { say } = useText()
  const { href, may } = useProject()
  if (!domains.data || !senders.data || !drafts.data || !scheduled.data || !running.data || !sent.data) return null
  if ([scheduled, running, sent].some(({ data }) => (data?.count ?? 0) > 0)) return null
  const settings = may('settings.edit')
  const [first] = drafts.data.items
  const steps = [
    {
      title: say('homeStepDomain'),
      isDone: domains.data.some(({ observed }) => observed.dkim.allOk),
      fix: settings && {
        label: say(domains.data.length > 0 ? 'homeSeeRecords' : 'newDomain'),
        href: href(domains.data.length > 0 ? '/sending/domains' : '/sending/domains?add=domains'),
      },
    },
    {
      title: say('homeStepSender'),
      isDone: senders.data.some(({ email }) => !isExampleAddress(email)),
      fix: settings && { label: say('newSender'), href: href('/sending/senders?add=senders') },
    },
    ...(contacts.data
      ? [
          {
            title: say('homeStepContacts'),
            isDone: contacts.data.all > 0,
            fix: may('contacts.edit') && { label: say('homeImport'), href: href('/audience/imports') },
          },
        ]
      : []),
    {
      title: say('homeStepCampaign'),
      isDone: false,
      fix: may('content.edit') && {
        label: say(first ? 'homeContinue' : 'newCampaign'),
        href: href(first ? `/campaigns/${first._id}` : '/campaigns?new=1'),
      },
    },
  ]
  return (
    <section className={css.part} aria-labelledby="steps">
      <h2 id="steps">{say('homeSteps')}</h2>
      <div className={css.card}>
        <ul>
          {steps.map(({ title, isDone, fix }, at) => (
            <Line
              key={title}
              icon={isDone ? 'check' : 'right'}
              tone={isDone ? 'good' : undefined}
              title={`${at + 1}. ${title}`}
              text={isDone ? say('homeStepDone') : undefined}
              fix={isDone || !fix ? undefined : fix}
            />
          ))}
        </ul>
      </div>
    </section>
  )
}

const Supplies = ({ home: { overview, sending } }: { readonly home: Home }) => {
  const { say, number } = useText()
  const { href } = useProject()
  const failed = failedReads([overview, sending])
  if (failed.length > 0) return <ReadErrorNote failed={failed} />
  if (!overview.data || !sending.data) return <Skeleton rows={3} />
  const { credit, month } = overview.data
  return (
    <section className={css.card}>
      <div className={css.head}>
        <h3>{say('homeDistance')}</h3>
        <ButtonLink kind="linklike" href={href('/sending/reputation')}>
          {say('reputation')}
        </ButtonLink>
      </div>
      <div className={css.body}>
        {sending.data.production && <DistanceBars rates={sending.data.production} />}
        <dl className={css.pairs}>
          <dt>{say('homeCredit')}</dt>
          <dd>{number(Math.max(credit.left, 0))}</dd>
          {month && (
            <>
              <dt>{say('sentThisMonth')}</dt>
              <dd>
                {number(month.sent)} {say('ofLimit', { limit: number(month.limit) })}
              </dd>
            </>
          )}
        </dl>
      </div>
    </section>
  )
}

export const HomePage = () => {
  const { say } = useText()
  const { href, may } = useProject()
  const [, navigate] = useLocation()
  const home = useHome()
  return (
    <PageFrame
      title={say('home')}
      actions={
        may('content.edit') && (
          <Button kind="primary" icon="plus" onPress={() => navigate(href('/campaigns?new=1'))}>
            {say('newCampaign')}
          </Button>
        )
      }
    >
      <FirstSteps home={home} />
      <Wrong home={home} />
      <div className={css.columns}>
        <section className={css.part} aria-labelledby="waits">
          <h2 id="waits">{say('homeWaits')}</h2>
          <Waits home={home} />
        </section>
        <div className={`${css.part} ${css.level}`}>
          <Supplies home={home} />
          <Mails home={home} />
        </div>
      </div>
      <section className={css.part} aria-labelledby="happened">
        <h2 id="happened">
          {say('homeHappened')}
          <span className={css.note}>{say('homeLast30')}</span>
        </h2>
        <RecentActivity home={home} />
      </section>
    </PageFrame>
  )
}
