import { IAMClient } from '@aws-sdk/client-iam'
import { SESv2Client } from '@aws-sdk/client-sesv2'
import { SNSClient } from '@aws-sdk/client-sns'
import { SQSClient } from '@aws-sdk/client-sqs'
import { STSClient } from '@aws-sdk/client-sts'
import { requestHandler, standardLimits } from '../request-handler.js'
import type { AwsOptions } from '../ses-client.js'

/** AWS allows about one call per second, besides sending; the steps are idempotent. */
const attempts = 6
const limits = { ...standardLimits, connections: 2 }

export const setupClients = (region: string, aws: AwsOptions = {}) => {
  const config = () => ({ ...aws, region, maxAttempts: attempts, requestHandler: requestHandler(limits) })
  const clients = {
    ses: new SESv2Client(config()),
    sns: new SNSClient(config()),
    sqs: new SQSClient(config()),
    sts: new STSClient(config()),
    iam: new IAMClient(config()),
  }
  return {
    ...clients,
    close: (): void => {
      for (const client of Object.values(clients)) client.destroy()
    },
  }
}
export type SetupClients = ReturnType<typeof setupClients>
