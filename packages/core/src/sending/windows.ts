import { type Figures, subjectOf } from '../figures/figure.js'
import type { Clock } from '../kernel/ports.js'
import { type SendingWindow, windowDays } from './restriction.js'

const day = 24 * 60 * 60_000

/** What a project did in each window that ends now; with `since`, nothing before that is seen. Exact to a quarter of an hour. */
export const sendingWindows =
  ({ figures, clock }: { readonly figures: Pick<Figures, 'totals'>; readonly clock: Clock }) =>
  async (projectId: string, since = ''): Promise<readonly SendingWindow[]> => {
    const now = clock().getTime()
    return Promise.all(
      windowDays.map(async (days) => {
        const begin = new Date(now - days * day).toISOString()
        const from = since > begin ? since : begin
        const { sent = 0, bounces = 0, complaints = 0 } = await figures.totals(subjectOf.project(projectId), { from })
        return { days, sent, bounces, complaints }
      }),
    )
  }
