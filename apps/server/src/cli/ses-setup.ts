import { CommandFailure, type CommandOutput } from './output.js'
import type { Terminal } from './terminal.js'

export type SesSetupAsked = {
  readonly region?: string
  readonly name: string
  readonly queue?: boolean
  readonly from?: string
  /** In seconds. */
  readonly wait: number
  readonly dryRun?: boolean
  readonly yes?: boolean
}

const endpointOf = ({ POSTHORN_PUBLIC_URL: url }: Terminal['environment'], { queue }: SesSetupAsked) => {
  if (queue) return undefined
  if (url?.startsWith('http') && URL.canParse(url)) return `${url.replace(/\/$/, '')}/v1/ses/events`
  throw new CommandFailure(
    'Events are posted to this server: say by POSTHORN_PUBLIC_URL where Amazon reaches it, or take them from a queue with --queue.',
  )
}

/** Asks before it changes anything, and reports the test mails' results. @throws CommandFailure */
export const runSesSetup = async (
  environment: Terminal['environment'],
  asked: SesSetupAsked,
  output: CommandOutput,
  ask: Terminal['ask'],
): Promise<void> => {
  const { name, queue = false, from, wait, dryRun = false, yes = false } = asked
  const region = asked.region ?? environment.POSTHORN_SES_REGION ?? environment.AWS_REGION
  if (region === undefined) throw new CommandFailure('Say with --region where mails are sent, such as eu-west-1.')
  const endpoint = endpointOf(environment, asked)
  const patience = wait * 1_000
  const { sesSetup } = await import('@posthorn/adapters-ses/setup')
  const failed = (error: unknown): never => {
    throw new CommandFailure(`AWS: ${error instanceof Error ? error.message : String(error)}`)
  }
  const setup = await sesSetup({ region, name, queue, endpoint }).catch(failed)
  try {
    const steps = await Promise.all(setup.steps.map(async (step) => ({ ...step, done: await step.isThere() }))).catch(
      failed,
    )
    const missing = steps.filter(({ done }) => !done)
    output.note(`In the AWS account ${setup.accountId}, in ${region}:`)
    for (const { done, makes } of steps) output.note(`${done ? '✓ there is' : '+ there will be'} ${makes}`)
    const variables = await setup.variables().catch(failed)
    if (dryRun)
      return output.result(
        { accountId: setup.accountId, steps: steps.map(({ what, makes, done }) => ({ what, makes, done })) },
        `${missing.length} of ${steps.length} are to be made; nothing was.`,
      )
    if (missing.length > 0 && !yes) {
      if (!ask)
        throw new CommandFailure('Nobody can be asked here: say --yes to have it made, or --dry-run to look only.')
      const answer = await ask(`Create the missing resources in the account ${setup.accountId}? [y/N] `)
      if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was made.')
    }
    for (const { what, make } of missing) {
      await make().catch(failed)
      output.note(`made: ${what}`)
    }
    const started = { ...variables, ...(await setup.variables().catch(failed)) }
    output.note('The server is started with:')
    for (const [key, value] of Object.entries(started)) output.note(`  ${key}=${value}`)
    output.note('Attach the policy posthorn-server to the user or role that it runs as.')
    if (!(await setup.confirmed(0).catch(failed))) {
      output.note(`Waiting for the server to confirm the subscription; start it now if it does not run.`)
      if (!(await setup.confirmed(patience).catch(failed)))
        throw new CommandFailure(
          `The subscription was not confirmed in ${wait} seconds. Start the server with these variables, where Amazon reaches ${endpoint}, and run this again.`,
        )
    }
    output.note('The subscription is confirmed.')
    if (from === undefined)
      return output.result(
        { accountId: setup.accountId, variables: started },
        'All is there. Send test mails with --from <address>.',
      )
    const silent = await setup
      .simulate(from, patience, (event) => output.note(`The ${event} event of a test mail has come.`))
      .catch(failed)
    if (silent.length > 0)
      throw new CommandFailure(`No event has come of the test mails to ${silent.join(', ')} in ${wait} seconds.`)
    output.result(
      { accountId: setup.accountId, variables: started },
      'All is there, and the events of test mails arrive.',
    )
  } finally {
    setup.close()
  }
}
