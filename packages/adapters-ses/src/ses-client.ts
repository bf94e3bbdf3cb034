import { SESv2Client, type SESv2ClientConfig } from '@aws-sdk/client-sesv2'
import { type ConnectionLimits, requestHandler, standardLimits } from './request-handler.js'

/** Replaces the SDK's `AWS_ENDPOINT_URL_SESV2` and credential chain. */
export type AwsOptions = Pick<SESv2ClientConfig, 'endpoint' | 'credentials'>

export type SesOptions = {
  readonly aws?: AwsOptions
  /** Defaults: 50 connections, 5 s to connect and 60 s for a response. */
  readonly limits?: Partial<ConnectionLimits>
}

/** The SDK's client for one region. Without `maxAttempts` it never retries: the engine schedules retries better. */
export const sesClient = (region: string, { aws = {}, limits = {} }: SesOptions, maxAttempts = 1): SESv2Client =>
  new SESv2Client({ ...aws, region, maxAttempts, requestHandler: requestHandler({ ...standardLimits, ...limits }) })
