import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import type { AwsOptions } from '../http/sdk-client.js'
import { sesErrorText } from '../mailer/outcome.js'
import {
  isSnsSubscriptionConfirmed,
  queueArnOf,
  type SesSetupStep,
  type SetupPlan,
  sesSetupSteps,
  setupClients,
  undefinedIfNotFound,
} from './setup-steps.js'
import { receiveSimulatorEvents, simulatorAddresses } from './simulated.js'

export { type EventsCheckOptions, type EventsFinding, sesEventsCheck } from './events-check.js'
export { policyName, type SesSetupStep } from './setup-steps.js'
export { simulatorAddresses } from './simulated.js'

export type SesSetupOptions = {
  readonly region: string
  /** Of topic, configuration set and queue; default: `posthorn`. */
  readonly name?: string
  /** With `/v1/ses/events`; ignored with a queue. */
  readonly endpoint?: string | undefined
  readonly queue?: boolean
  readonly aws?: AwsOptions
}

const confirmationLook = 1_000

/** Finds and creates what the account lacks. @throws Error for the operator */
export const sesSetup = async ({ region, name = 'posthorn', endpoint, queue = false, aws }: SesSetupOptions) => {
  const clients = setupClients(region, aws)
  const withAdvice = async <T>(request: Promise<T>): Promise<T> => {
    try {
      return await request
    } catch (error) {
      throw new Error(sesErrorText(error), { cause: error })
    }
  }
  const { Account: accountId = '', Arn = '' } = await withAdvice(clients.sts.send(new GetCallerIdentityCommand({})))
  const plan: SetupPlan = {
    region,
    accountId,
    topicArn: `arn:${Arn.split(':')[1] ?? 'aws'}:sns:${region}:${accountId}:${name}`,
    configurationSet: name,
    endpoint,
    queueName: queue ? name : undefined,
  }
  const steps: readonly SesSetupStep[] = sesSetupSteps(clients, plan).map((step) => ({
    ...step,
    isThere: () => withAdvice(step.isThere()),
    make: () => withAdvice(step.make()),
  }))

  const queueUrl = async (): Promise<string | undefined> => {
    const { GetQueueUrlCommand } = await import('@aws-sdk/client-sqs')
    if (queueArnOf(plan) === undefined) return undefined
    return (await withAdvice(undefinedIfNotFound(clients.sqs.send(new GetQueueUrlCommand({ QueueName: name })))))
      ?.QueueUrl
  }

  return {
    accountId,
    topicArn: plan.topicArn,
    steps,
    variables: async (): Promise<Readonly<Record<string, string>>> => {
      const url = await queueUrl()
      return {
        POSTHORN_MAILER: 'ses',
        POSTHORN_SES_REGION: region,
        POSTHORN_SES_TOPIC_ARN: plan.topicArn,
        POSTHORN_SES_CONFIGURATION_SET: name,
        ...(url !== undefined && { POSTHORN_SES_EVENTS_QUEUE: url }),
      }
    },
    /** Waits up to `patience` ms for the confirmation. */
    confirmed: async (patience: number): Promise<boolean> => {
      const until = Date.now() + patience
      while (!(await withAdvice(isSnsSubscriptionConfirmed(clients, plan)))) {
        if (Date.now() >= until) return false
        await new Promise((resolve) => setTimeout(resolve, Math.min(confirmationLook, patience)))
      }
      return true
    },
    /** Returns the simulator's addresses whose events did not arrive in time. */
    simulate: async (from: string, patience: number, seen: (event: string) => void): Promise<readonly string[]> => {
      const events = await withAdvice(receiveSimulatorEvents(clients, plan, from, { patience, seen }))
      return simulatorAddresses.filter(({ event }) => !events.includes(event)).map(({ address }) => address)
    },
    close: clients.close,
  }
}
export type SesSetup = Awaited<ReturnType<typeof sesSetup>>
