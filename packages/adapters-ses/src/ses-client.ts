import { SESv2Client, type SESv2ClientConfig } from '@aws-sdk/client-sesv2'
import { type ConnectionLimits, requestHandler, standardLimits } from './request-handler.js'

/** What the SDK would otherwise look for by itself: `AWS_ENDPOINT_URL_SESV2`, and its chain of credentials. */
export type AwsOptions = Pick<SESv2ClientConfig, 'endpoint' | 'credentials'>

export type SesOptions = {
  readonly aws?: AwsOptions
  /** Where they differ from 50 connections, 5 s to connect and 60 s for an answer. */
  readonly limits?: Partial<ConnectionLimits>
}

/** The SDK's client for one region. Unless told otherwise it never tries again by itself: the engine knows better when. */
export const sesClient = (region: string, { aws = {}, limits = {} }: SesOptions, maxAttempts = 1): SESv2Client =>
  new SESv2Client({ ...aws, region, maxAttempts, requestHandler: requestHandler({ ...standardLimits, ...limits }) })
