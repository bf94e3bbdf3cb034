import { SESv2Client, type SESv2ClientConfig } from '@aws-sdk/client-sesv2'
import { type ConnectionLimits, requestHandler, standardLimits } from './request-handler.js'

/** Default: `AWS_ENDPOINT_URL_SESV2` and the SDK's credential chain. */
export type AwsOptions = Pick<SESv2ClientConfig, 'endpoint' | 'credentials'>

export type SesOptions = {
  readonly aws?: AwsOptions
  /** Default: 50 connections, 5 s to connect, 60 s for a response. */
  readonly limits?: Partial<ConnectionLimits>
}

/** Without `maxAttempts` it never retries: the engine schedules retries. */
export const sesClient = (region: string, { aws = {}, limits = {} }: SesOptions, maxAttempts = 1): SESv2Client =>
  new SESv2Client({ ...aws, region, maxAttempts, requestHandler: requestHandler({ ...standardLimits, ...limits }) })
