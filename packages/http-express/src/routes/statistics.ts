import {
  EmailErrorLog,
  type EmailKind,
  EmailRecipient,
  EmailStatistics,
  ListQueryFields,
  StatisticsQuery,
} from '@posthorn/core'
import { z } from 'zod'
import { listOf, route } from '../route.js'

const emails = {
  campaigns: { noun: 'Campaign', called: 'campaign', kind: 'campaigns' },
  'triggered-emails': { noun: 'TriggeredEmail', called: 'triggered email', kind: 'triggeredEmails' },
  'transactional-emails': { noun: 'TransactionalEmail', called: 'transactional email', kind: 'transactionalEmails' },
} as const satisfies Record<string, { noun: string; called: string; kind: EmailKind }>

const statisticsRoutesOf = <const P extends keyof typeof emails>(path: P) => {
  const { noun, called, kind } = emails[path] as (typeof emails)[P]
  return [
    route({
      id: `get${noun}Stats`,
      summary: `What became of the mails of a ${called}: sums, or one metric over time`,
      method: 'get',
      path: `/v1/projectId/{projectId}/${path}/{id}/stats`,
      auth: 'api-key',
      query: StatisticsQuery,
      success: [200, EmailStatistics],
      fails: ['invalid', 'forbidden', 'not-found'],
      run: (core, { scope, params, query }) => core.statistics.ofEmail(scope, kind, params.id, query),
    }),
    route({
      id: `list${noun}Recipients`,
      summary: `Who a ${called} went to, who was left out, and why`,
      method: 'get',
      path: `/v1/projectId/{projectId}/${path}/{id}/recipients`,
      auth: 'api-key',
      query: ListQueryFields,
      success: [200, listOf(EmailRecipient)],
      paginated: true,
      fails: ['invalid', 'forbidden', 'not-found'],
      run: (core, { scope, params, query }) => core.statistics.recipients(scope, kind, params.id, query),
    }),
  ] as const
}

export const statisticsRoutes = [
  ...statisticsRoutesOf('campaigns'),
  ...statisticsRoutesOf('triggered-emails'),
  ...statisticsRoutesOf('transactional-emails'),
  route({
    id: 'listEmailErrorLogs',
    summary: 'Why mails of an email were not sent in the last 30 days, the newest first',
    method: 'get',
    path: '/v1/projectId/{projectId}/related-to/{id}/email-error-logs',
    auth: 'api-key',
    query: ListQueryFields.pick({ skip: true, limit: true }),
    success: [
      200,
      listOf(EmailErrorLog).extend({
        unseenCount: z.int().meta({ description: 'Those that no earlier reading could have shown' }),
      }),
    ],
    paginated: true,
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, params, query }) => core.statistics.errorLog(scope, params.id, query),
  }),
]
