import { type Figures, subjectOf } from '../../figures/figure.js'
import type { Clock } from '../../kernel/ports.js'
import { type SendingWindow, windowDays } from './restriction.js'

const day = 24 * 60 * 60_000

export const windowBegin = (now: Date, days: number): string => new Date(now.getTime() - days * day).toISOString()

/** In days. */
export const longestWindow = Math.max(...windowDays)

/** A project's figures in each window that ends now, not before `since` if given. Accurate to a quarter of an hour. */
export const sendingWindows =
  ({ figures, clock }: { readonly figures: Pick<Figures, 'totals'>; readonly clock: Clock }) =>
  async (projectId: string, since = ''): Promise<readonly SendingWindow[]> =>
    Promise.all(
      windowDays.map(async (days) => {
        const begin = windowBegin(clock(), days)
        const from = since > begin ? since : begin
        const { sent = 0, bounces = 0, complaints = 0 } = await figures.totals(subjectOf.project(projectId), { from })
        return { days, sent, bounces, complaints }
      }),
    )
