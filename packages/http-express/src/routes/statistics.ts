import {
  EmailErrorLog,
  type EmailKind,
  EmailRecipient,
  EmailStatistics,
  ListQueryFields,
  recipientFilterShape,
  recipientListQueryViolations,
  recipientSorts,
  StatisticsQuery,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { listResponseOf, pagedRouteParts, route, type TypedRoute } from '../route.js'

type Below<P extends string> = `/v1/projectId/{projectId}/${P}/{id}`

type EmailRows<N extends string, P extends string> = readonly [
  TypedRoute<`get${N}Stats`, typeof EmailStatistics, 'get', `${Below<P>}/stats`, typeof StatisticsQuery>,
  TypedRoute<
    `list${N}Recipients`,
    ReturnType<typeof listResponseOf<typeof EmailRecipient>>,
    'get',
    `${Below<P>}/recipients`,
    typeof ListQueryFields
  >,
]

/** `noun` is for operation ids, `called` for prose. */
const rowsOf = <const N extends string, const P extends string>(
  noun: N,
  _called: string,
  path: P,
  kind: EmailKind,
): EmailRows<N, P> => {
  const email = `/v1/projectId/{projectId}/${path}/{id}` as const
  return [
    route('get', `${email}/stats`, {
      id: `get${noun}Stats`,
      permission: 'figures.read',
      query: StatisticsQuery,
      success: [200, EmailStatistics],
      run: (core, { scope, params, query }) => core.statistics.ofEmail(scope, kind, params.id, query),
    }),
    route('get', `${email}/recipients`, {
      id: `list${noun}Recipients`,
      permission: 'addresses.read',
      ...pagedRouteParts(EmailRecipient),
      filters: recipientFilterShape,
      sorts: recipientSorts,
      alsoWrong: (_core, { query }) => recipientListQueryViolations(query),
      run: (core, { scope, params, query }) => core.statistics.recipients(scope, kind, params.id, query),
    }),
  ]
}

export const statisticsRoutes = [
  ...rowsOf('Campaign', 'campaign', 'campaigns', 'campaigns'),
  ...rowsOf('TriggeredEmail', 'triggered email', 'triggered-emails', 'triggeredEmails'),
  ...rowsOf('TransactionalEmail', 'transactional email', 'transactional-emails', 'transactionalEmails'),
  route('get', '/v1/projectId/{projectId}/send/stats', {
    id: 'getSendStats',
    summary: 'Get the statistics of mails sent without a stored email',
    permission: 'figures.read',
    query: StatisticsQuery,
    success: [200, EmailStatistics],
    run: (core, { scope, query }) => core.statistics.ofDirect(scope, query),
  }),
  route('get', '/v1/projectId/{projectId}/send/recipients', {
    id: 'listSendRecipients',
    summary: 'List recipients of mails sent without a stored email',
    permission: 'addresses.read',
    ...pagedRouteParts(EmailRecipient),
    filters: recipientFilterShape,
    sorts: recipientSorts,
    alsoWrong: (_core, { query }) => recipientListQueryViolations(query),
    run: (core, { scope, query }) => core.statistics.directRecipients(scope, query),
  }),
  route('get', '/v1/projectId/{projectId}/related-to/{id}/email-error-logs', {
    id: 'listEmailErrorLogs',
    permission: 'addresses.read',
    query: ListQueryFields.pick({ skip: true, limit: true }),
    success: [
      200,
      listResponseOf(EmailErrorLog).extend({
        unseenCount: z.int().meta({ description: 'Number of errors since the log was last read' }),
      }),
    ],
    paginated: true,
    run: (core, { scope, params, query }) => core.statistics.errorLog(scope, params.id, query),
  }),
]
