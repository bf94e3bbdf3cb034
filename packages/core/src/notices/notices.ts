import type { Campaign } from '../campaigns/campaign.js'
import { newestRecords } from '../kernel/listing.js'
import type { Runtime } from '../kernel/ports.js'
import { Refusal } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Permission, Scope } from '../kernel/scope.js'
import { localTimeText, zonedInstantOf } from '../kernel/zoned-time.js'
import { fillPlaceholders, languages } from '../languages/languages.js'
import type { SignedInPerson } from '../people/person.js'
import { type Person, personView } from '../people/person.js'
import type { Project } from '../projects/project.js'
import type { CampaignResults } from '../reporting/campaign-reports.js'
import { type Figures, figureSubject } from '../reporting/figures/figure.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import type { PersonMail } from '../sends/person-mails.js'
import type { NoticeSettings } from './notice-settings.js'
import type { ProjectProblem } from './problems.js'

const hour = 60 * 60_000
const day = 24 * hour
const week = 7 * day
/** The newest sent campaigns that one run reads of a project. */
const mostCampaigns = 20
/** Projects tried as the sender of one mail. */
const mostTried = 5
const weekHour = '08:00'

type Deps = Pick<Runtime, 'clock' | 'log'> & {
  readonly repositories: RepositoriesFor<{
    noticeSettings: NoticeSettings
    persons: Person
    projects: Project
    campaigns: Campaign
    dispatches: Dispatch
  }>
  readonly figures: Pick<Figures, 'totals'>
  readonly scopeIn: (principal: SignedInPerson, projectId: string, permission: Permission) => Promise<Scope>
  readonly projectsOf: (principal: SignedInPerson) => Promise<readonly { readonly _id: string }[]>
  readonly results: (scope: Scope, query: { readonly ids: string[] }) => Promise<CampaignResults>
  readonly problemsIn: (project: Project) => Promise<readonly ProjectProblem[]>
  readonly mail: (mail: PersonMail) => Promise<void>
  readonly settings: { readonly publicUrl: string; readonly mailsLinks?: boolean | undefined }
}

export const lastMondayMorning = (now: Date, timeZone: string): string => {
  const [today = ''] = localTimeText(now.getTime(), timeZone).split('T')
  const sinceMonday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7
  const mondayBefore = (days: number) => {
    const date = new Date(Date.parse(`${today}T00:00:00Z`) - (sinceMonday + days) * day).toISOString().slice(0, 10)
    return zonedInstantOf(`${date}T${weekHour}`, timeZone) ?? ''
  }
  const thisWeek = mondayBefore(0)
  return thisWeek <= now.toISOString() ? thisWeek : mondayBefore(7)
}

type Notice = {
  readonly subject: string
  readonly text: string
  /** The change of the stored settings once the mail is queued. */
  readonly noted: (settings: NoticeSettings) => NoticeSettings
}

/**
 * Queues a mail before recording it: a crash repeats mails but loses none. Jobs run in one process at a time: several
 * servers mail once.
 */
export const noticeSender = (deps: Deps) => {
  const { repositories, figures, scopeIn, projectsOf, results, problemsIn, mail, clock, log, settings } = deps
  const { noticeSettings, persons, projects, campaigns, dispatches } = repositories

  const wordsFor = ({ language }: Person, timeZone: string, { _id, name: project }: Project) => {
    const words = languages[language]
    const url = (path: string) => `${settings.publicUrl}/console/${_id}${path}`
    return {
      say: (key: keyof typeof words, values: Readonly<Record<string, string>>) =>
        fillPlaceholders(words[key], { ...values, project }),
      number: (n = 0) => new Intl.NumberFormat(language).format(n),
      time: (instant: string) =>
        new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
          Date.parse(instant),
        ),
      url,
    }
  }
  type Words = ReturnType<typeof wordsFor>

  const weekly = async ({ projectId, timeZone, ...own }: NoticeSettings, words: Words): Promise<readonly Notice[]> => {
    const until = lastMondayMorning(clock(), timeZone)
    if (!own.weekly || own.week >= until) return []
    const totals = (from: number, to: number) =>
      figures.totals(figureSubject.project(projectId), {
        from: new Date(Date.parse(until) - from).toISOString(),
        to: new Date(Date.parse(until) - to).toISOString(),
      })
    const [of, before] = await Promise.all([totals(week, 0), totals(2 * week, week)])
    const { say, number, time, url } = words
    const text = say('noticeWeek', {
      ...{ until: time(until), link: url('/home'), before: number(before.sent) },
      ...{ sent: number(of.sent), failed: number(of.failed), bounces: number(of.bounces) },
      ...{ complaints: number(of.complaints), opens: number(of.uniqueOpens), clicks: number(of.uniqueClicks) },
    })
    return [{ subject: say('noticeWeekSubject', {}), text, noted: (is) => ({ ...is, week: until }) }]
  }

  const isNew = ({ mailed }: NoticeSettings, about: string) => !mailed.some((one) => one.about === about)

  const done = async (own: NoticeSettings, scope: Scope, words: Words): Promise<readonly Notice[]> => {
    if (!own.done) return []
    const { projectId } = own
    const sent = { projectId, status: 'sent' } as const
    const items = await newestRecords(campaigns, sent, 'updatedAt', mostCampaigns, ['document'])
    const ended: Campaign[] = []
    for (const campaign of items) {
      const { dispatchId, updatedAt } = campaign
      if (dispatchId === undefined || updatedAt < own.since || !isNew(own, `run ${dispatchId}`)) continue
      const dispatch = await dispatches.get({ _id: dispatchId, projectId })
      if ((dispatch?.finishedAt ?? '') >= own.since) ended.push(campaign)
    }
    if (ended.length === 0) return []
    const counted = await results(scope, { ids: ended.map(({ _id }) => _id) })
    const { say, number, url } = words
    const texts = ended.map(({ _id, name }) => {
      const { sent, failed, excluded } = counted.items.find(({ campaignId }) => campaignId === _id) ?? {}
      const counts = { sent: number(sent), failed: number(failed), excluded: number(excluded) }
      return say('noticeDone', { ...counts, name, link: url(`/campaigns/${_id}`) })
    })
    const now = clock().getTime()
    const at = new Date(now).toISOString()
    const runs = ended.map(({ dispatchId = '' }) => ({ about: `run ${dispatchId}`, at }))
    const before = new Date(now - hour).toISOString()
    const noted = (is: NoticeSettings): NoticeSettings => ({
      ...is,
      // Covers the hour before again: another server may store the end of a campaign late.
      since: is.since > before ? is.since : before,
      mailed: [...is.mailed.filter((one) => !one.about.startsWith('run ') || one.at > before), ...runs],
    })
    return [{ subject: say('noticeDoneSubject', {}), text: texts.join('\n\n'), noted }]
  }

  const problems = async (own: NoticeSettings, project: Project, words: Words): Promise<readonly Notice[]> => {
    if (!own.problems) return []
    const now = clock()
    const all = await problemsIn(project)
    const fresh = all.filter(({ about }) => isNew(own, about))
    const dayAgo = new Date(now.getTime() - day).toISOString()
    /** A problem that recurs within a day is not mailed again. */
    const isKept = ({ about, at }: NoticeSettings['mailed'][number]) =>
      at > dayAgo || all.some((problem) => problem.about === about)
    const noted = (is: NoticeSettings): NoticeSettings => ({
      ...is,
      mailed: [...is.mailed.filter(isKept), ...fresh.map(({ about }) => ({ about, at: now.toISOString() }))],
    })
    const { say, time, url } = words
    if (fresh.length === 0) return []
    const texts = fresh.map(({ text, values, at }) =>
      say(text, { ...values, ...(at !== undefined && { time: time(at) }) }),
    )
    return [{ subject: say('noticeWrongSubject', {}), text: [...texts, url('/home')].join('\n\n'), noted }]
  }

  /** From the project or, if it may not send, from another project of the person. */
  const mailed = async (person: Person, projectId: string, given: Omit<PersonMail, 'to' | 'projectId' | 'name'>) => {
    const others = (await projectsOf({ person: personView(person) })).map(({ _id }) => _id)
    const senders = [projectId, ...others.filter((one) => one !== projectId)].slice(0, mostTried)
    let refused: unknown
    for (const sender of senders)
      try {
        return await mail({ ...given, to: person.email, projectId: sender, name: 'notice' })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refused ??= error
      }
    log('warn', 'A person of the console was not mailed', { projectId, personId: person._id, error: refused })
  }

  const look = async (own: NoticeSettings): Promise<void> => {
    const { _id, projectId, personId, timeZone } = own
    const [person, project] = await Promise.all([persons.get({ _id: personId }), projects.get({ _id: projectId })])
    const scope =
      person &&
      project &&
      (await scopeIn({ person: personView(person) }, projectId, 'figures.read').catch(() => undefined))
    // People who lost access to the project get no more mail about it.
    if (!scope) return void (await noticeSettings.remove({ _id }))
    const words = wordsFor(person, timeZone, project)
    const foot = words.say('noticeFoot', { link: words.url('/settings/account') })
    const due = [
      ...(await weekly(own, words)),
      ...(await done(own, scope, words)),
      ...(await problems(own, project, words)),
    ]
    for (const { subject, text, noted } of due) {
      await mailed(person, projectId, { subject, text: `${text}\n\n-- \n${foot}` })
      await noticeSettings.change({ _id }, noted)
    }
  }

  return {
    run: async (): Promise<void> => {
      if (settings.mailsLinks !== true) return
      for await (const one of noticeSettings.each({}))
        await look(one).catch((error: unknown) =>
          log('error', 'Notices of a project could not be mailed', { projectId: one.projectId, error }),
        )
    },
  }
}
