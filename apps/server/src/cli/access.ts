import { pendingIncrease, requestStatuses } from '@posthorn/core/ports/storage'
import type { AccessRequestView } from '@posthorn/core/ports/transport'
import { type Command, Option } from 'commander'
import { inContext } from './in-context.js'
import { table } from './output.js'
import { wholeNumber } from './whole-number.js'

const limitText = (monthlyLimit: number) => (monthlyLimit === 0 ? 'unlimited' : String(monthlyLimit))

const lines = (requests: readonly AccessRequestView[], status: AccessRequestView['status'] | undefined) =>
  requests.length === 0
    ? `No request ${status === undefined || status === 'pending' ? 'is pending' : `is ${status}`}.`
    : table([
        ['PROJECT', 'STATUS', 'MAILS A MONTH', 'WEBSITE', 'LIMIT ASKED FOR', 'SINCE'],
        ...requests.map(({ projectId, status, application, limitIncreases, updatedAt }) => {
          const increase = pendingIncrease(limitIncreases)
          return [
            projectId,
            status,
            application ? String(application.volume) : '',
            application?.website ?? '',
            increase ? limitText(increase.requestedLimit) : '',
            updatedAt,
          ]
        }),
      ])

/** The project's application, for the operator's decision. */
const details = ({ projectId, status, application, limitIncreases }: AccessRequestView) =>
  table([
    ['project', projectId],
    ['status', status],
    ...Object.entries(application ?? {}).map(([question, answer]) => [question, String(answer)]),
    ...limitIncreases.map((one) => ['limit', `${limitText(one.requestedLimit)}, ${one.status}: ${one.reason}`]),
  ])

const limitOption = () =>
  new Option(
    '--monthly-limit <mails>',
    'mails per month, where it is not what was asked for; 0 is unlimited',
  ).argParser(wholeNumber(0, 1_000_000_000_000))
type Limited = { readonly monthlyLimit?: number }

const accessReviewCommands = (program: Command): void => {
  const access = program.command('access').description('who may send from production, and who asks for it')
  access
    .command('list')
    .addOption(new Option('--status <status>', 'only these').choices(requestStatuses.slice(1)))
    .description('requests for production access, and for higher monthly limits')
    .action(
      inContext(async ({ core, output }, { status }: { status?: AccessRequestView['status'] }) => {
        const requests = await core.accessReviews.list(status)
        output.result(requests, lines(requests, status))
      }),
    )
  access
    .command('show')
    .argument('<project>', 'id of the project')
    .description('what the project says of itself')
    .action(
      inContext(async ({ core, output }, id: string, _options: object) => {
        const request = await core.accessReviews.get(id)
        output.result(request, details(request))
      }),
    )
  access
    .command('approve')
    .argument('<project>', 'id of the project')
    .addOption(limitOption())
    .description('lift the sandbox, whether the project asked for it or not')
    .action(
      inContext(async ({ core, output }, id: string, { monthlyLimit }: Limited) => {
        const request = await core.accessReviews.approve(id, { monthlyLimit })
        const project = await core.projects.get({ projectId: id, caller: 'operator' })
        output.result(request, `${project.name} is in production; mails a month: ${limitText(project.monthlyLimit)}`)
      }),
    )
  access
    .command('decline')
    .argument('<project>', 'id of the project')
    .description('leave the project in the sandbox; it may ask again')
    .action(
      inContext(async ({ core, output }, id: string, _options: object) => {
        output.result(await core.accessReviews.decline(id), 'The project stays in the sandbox')
      }),
    )
  access
    .command('revoke')
    .argument('<project>', 'id of the project')
    .description('put the project back in the sandbox; it may ask again')
    .action(
      inContext(async ({ core, output }, id: string, _options: object) => {
        output.result(await core.accessReviews.revoke(id), 'The project’s production access is revoked')
      }),
    )
  access
    .command('shared')
    .argument('<project>', 'id of the project')
    .description('have a project that sends through its own cloud account send through the shared service again')
    .action(
      inContext(async ({ core, output }, id: string, _options: object) => {
        const project = await core.accessReviews.share(id)
        output.result(project, `${project.name} sends through the shared service, in ${project.status}`)
      }),
    )
}

const limitReviewCommands = (program: Command): void => {
  const limit = program.command('limit').description('higher monthly limits that projects ask for')
  limit
    .command('approve')
    .argument('<project>', 'id of the project')
    .addOption(limitOption())
    .description('set the limit that was asked for, or another one')
    .action(
      inContext(async ({ core, output }, id: string, { monthlyLimit }: Limited) => {
        const request = await core.accessReviews.approveLimit(id, { monthlyLimit })
        const approved = request.limitIncreases.at(-1)?.approvedLimit ?? 0
        output.result(request, `The project’s mails a month: ${limitText(approved)}`)
      }),
    )
  limit
    .command('decline')
    .argument('<project>', 'id of the project')
    .description('leave the limit as it is')
    .action(
      inContext(async ({ core, output }, id: string, _options: object) => {
        output.result(await core.accessReviews.declineLimit(id), 'The project’s limit stays as it is')
      }),
    )
}

const restrictionCommands = (program: Command): void => {
  program
    .command('restrict')
    .argument('<project>', 'id of the project')
    .argument('<reason>', 'what the project is told')
    .description('stop all sending of a project, also what waits to be sent')
    .action(
      inContext(async ({ core, output }, id: string, reason: string, _options: object) => {
        const project = await core.restriction.restrict(id, { reason })
        output.result(project, `${project.name} sends nothing any more: ${project.restrictedReason}`)
      }),
    )
  program
    .command('unrestrict')
    .argument('<project>', 'id of the project')
    .description('let a project send again; its bounces and complaints until now restrict it no more')
    .action(
      inContext(async ({ core, output }, id: string, _options: object) => {
        const project = await core.restriction.unrestrict(id)
        output.result(project, `${project.name} may send again`)
      }),
    )
}

/**
 * `posthorn access …`, `posthorn limit …`, `posthorn restrict` and `posthorn unrestrict`: the operator's decisions (spec, "Production
 * access").
 */
export const accessCommands = (program: Command): void => {
  accessReviewCommands(program)
  limitReviewCommands(program)
  restrictionCommands(program)
}
