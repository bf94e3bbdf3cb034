import { z } from 'zod'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { forbidden } from '../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { type InProject, stamps } from '../kernel/shapes.js'
import { isTimeZone } from '../kernel/zoned-time.js'

export type NoticeSettings = InProject & {
  readonly personId: string
  readonly weekly: boolean
  readonly done: boolean
  readonly problems: boolean
  readonly timeZone: string
  /** The Monday whose figures were mailed last. */
  readonly week: string
  /** Campaigns that ended earlier are not mailed about. */
  readonly since: string
  /** About ended runs and problems. A problem stays until a day after it ends. */
  readonly mailed: readonly { readonly about: string; readonly at: string }[]
}

const Wanted = z.boolean()

export const NoticeChanges = z.strictObject({
  weekly: Wanted.optional().describe('Figures of the last seven days, on Mondays at 8:00'),
  done: Wanted.optional().describe('When a campaign has been sent'),
  problems: Wanted.optional().describe('When something is wrong'),
  timeZone: z.string().refine(isTimeZone, 'expected an IANA time zone').optional(),
})

export const NoticeSettingsView = z.object({
  weekly: Wanted,
  done: Wanted,
  problems: Wanted,
  timeZone: z.string(),
  mails: z.boolean().describe('Whether this server can mail them'),
})
export type NoticeSettingsView = z.output<typeof NoticeSettingsView>

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ noticeSettings: NoticeSettings }>
  readonly settings: { readonly mailsLinks?: boolean | undefined }
}

const none = { weekly: false, done: false, problems: false, timeZone: 'UTC' } as const

/** One record per person and project. Every mail is off at first. */
export const noticeSettingsUseCases = ({ repositories, clock, newId, settings }: Deps) => {
  const { noticeSettings } = repositories
  const ownIn = ({ projectId, person }: Scope) => {
    if (!person) throw forbidden()
    return { projectId, personId: person._id }
  }
  const show = (own: NoticeSettings | undefined): NoticeSettingsView =>
    NoticeSettingsView.parse({ ...none, ...own, mails: settings.mailsLinks === true })

  return {
    get: async (scope: Scope): Promise<NoticeSettingsView> => show(await noticeSettings.get(ownIn(scope))),

    /** Events before the change are not mailed. @throws Refusal `invalid` */
    change: async (scope: Scope, input: z.input<typeof NoticeChanges>): Promise<NoticeSettingsView> => {
      const { timeZone, ...wanted } = parsed(NoticeChanges, input)
      const own = ownIn(scope)
      const now = clock().toISOString()
      const first: NoticeSettings = { _id: newId(), ...own, ...none, week: now, since: now, mailed: [], ...stamps(now) }
      await noticeSettings.add(first).catch(ifKeyTaken(() => undefined))
      const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
      const changed = await noticeSettings.change(own, (is) => ({
        ...is,
        ...given,
        ...(timeZone !== undefined && { timeZone }),
        ...(wanted.weekly && !is.weekly && { week: now }),
        ...(wanted.done && !is.done && { since: now }),
        updatedAt: now,
      }))
      return show(changed)
    },
  }
}
