import {
  EmailErrorLog,
  type EmailKind,
  EmailRecipient,
  EmailStatistics,
  ListQueryFields,
  recipientFilters,
  recipientSorts,
  recipientViolations,
  StatisticsQuery,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { listOf, type Row, route } from '../route.js'

type EmailRows<N extends string> = readonly [
  Row<`get${N}Stats`, typeof EmailStatistics>,
  Row<`list${N}Recipients`, ReturnType<typeof listOf<typeof EmailRecipient>>>,
]

/** `noun` is for operation ids, `called` for prose. */
const rowsOf = <const N extends string>(noun: N, called: string, path: string, kind: EmailKind): EmailRows<N> => {
  const email = `/v1/projectId/{projectId}/${path}/{id}` as const
  return [
    route({
      id: `get${noun}Stats`,
      summary: `Get ${called} statistics`,
      method: 'get',
      path: `${email}/stats`,
      auth: 'api-key',
      query: StatisticsQuery,
      success: [200, EmailStatistics],
      fails: ['invalid', 'forbidden', 'not-found'],
      run: (core, { scope, params, query }) => core.statistics.ofEmail(scope, kind, params.id, query),
    }),
    route({
      id: `list${noun}Recipients`,
      summary: `List ${called} recipients`,
      method: 'get',
      path: `${email}/recipients`,
      auth: 'api-key',
      query: ListQueryFields,
      filters: recipientFilters,
      sorts: recipientSorts,
      alsoWrong: (_core, { query }) => recipientViolations(query),
      success: [200, listOf(EmailRecipient)],
      paginated: true,
      fails: ['invalid', 'forbidden', 'not-found'],
      run: (core, { scope, params, query }) => core.statistics.recipients(scope, kind, params.id, query),
    }),
  ]
}

export const statisticsRoutes = [
  ...rowsOf('Campaign', 'campaign', 'campaigns', 'campaigns'),
  ...rowsOf('TriggeredEmail', 'triggered email', 'triggered-emails', 'triggeredEmails'),
  ...rowsOf('TransactionalEmail', 'transactional email', 'transactional-emails', 'transactionalEmails'),
  route({
    id: 'listEmailErrorLogs',
    summary: 'List email error logs',
    method: 'get',
    path: '/v1/projectId/{projectId}/related-to/{id}/email-error-logs',
    auth: 'api-key',
    query: ListQueryFields.pick({ skip: true, limit: true }),
    success: [
      200,
      listOf(EmailErrorLog).extend({
        unseenCount: z.int().meta({ description: 'Number of errors since the log was last read' }),
      }),
    ],
    paginated: true,
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, params, query }) => core.statistics.errorLog(scope, params.id, query),
  }),
]
