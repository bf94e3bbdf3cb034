export type {
  AudiencePreview,
  Campaign,
  CampaignProgress,
  CampaignReport,
  Contact,
  CustomField,
  Import,
  MailHistory,
  Segment,
  SenderIdentity,
  SubscriberList,
  Subscription,
} from '@posthorn/client'

import type { ApiRoute as ApiEndpoint, ConsoleEndpoint } from '@posthorn/http-express'
import type { z } from 'zod'

type Endpoint = ApiEndpoint | ConsoleEndpoint
/** The rows of the API are mounted below the console, too. */
type Project = `/${'v1' | 'console/api'}/projectId/{projectId}`
export type Method = Endpoint['method']

/** Such as `/campaigns/{id}`, below a project. */
export type PathOf<M extends Method> = Endpoint extends infer E
  ? E extends { readonly method: M; readonly path: `${Project}${infer P}` }
    ? P
    : never
  : never

type RowAt<M extends Method, P extends string> = Extract<
  Endpoint,
  { readonly method: M; readonly path: `${Project}${P}` }
>

type Names<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** `T` as JSON brings it: an optional field is absent. */
export type ResponseOf<M extends Method, P extends PathOf<M>> = z.output<RowAt<M, P>['success'][1]>

export type BodyOf<M extends Method, P extends PathOf<M>> = z.input<NonNullable<RowAt<M, P>['body']>>

export type Scalar = string | number | boolean | undefined

export type Call<M extends Method, P extends PathOf<M>> = {
  readonly query?: Readonly<Record<string, Scalar>>
  /** `{ email: 'ada' }` becomes `filter[email]=ada`. */
  readonly filter?: Readonly<Record<string, Scalar>>
  readonly signal?: AbortSignal
} & ([Names<P>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: { readonly [K in Names<P>]: string } }) &
  (M extends 'post' | 'patch' | 'delete' ? { readonly body?: BodyOf<M, P> } : { readonly body?: undefined })

export type CampaignResult = ResponseOf<'get', '/campaign-results'>['items'][number]
export type CampaignChanges = BodyOf<'patch', '/campaigns/{id}'>
export type Recipient = ResponseOf<'get', '/campaigns/{id}/recipients'>['items'][number]
export type Member = ResponseOf<'get', '/people'>['people'][number]
export type Invitation = ResponseOf<'get', '/people'>['invitations'][number]
export type Suppression = ResponseOf<'get', '/suppression-list'>['items'][number]
export type Domain = ResponseOf<'get', '/domains'>['items'][number]
export type RepeatedRequest = ResponseOf<'get', '/repeated-requests'>['items'][number]
export type ApiKey = ResponseOf<'get', '/api-keys'>['items'][number]
export type WebhookEndpoint = ResponseOf<'get', '/webhooks'>['items'][number]
export type WebhookEventType = WebhookEndpoint['types'][number]
export type WebhookLogEntry = ResponseOf<'get', '/webhooks/{id}/log'>['items'][number]
export type AuditEntry = ResponseOf<'get', '/audit'>['items'][number]

type Operator = '/console/api/operator'
/** Paths below `/operator`, by method. */
export type OperatorPathOf<M extends Method> = ConsoleEndpoint extends infer E
  ? E extends { readonly method: M; readonly path: `${Operator}${infer P}` }
    ? P
    : never
  : never
type OperatorRow<M extends Method, P extends string> = Extract<
  ConsoleEndpoint,
  { readonly method: M; readonly path: `${Operator}${P}` }
>
export type OperatorResponse<M extends Method, P extends OperatorPathOf<M>> = z.output<OperatorRow<M, P>['success'][1]>
export type OperatorBody<M extends Method, P extends OperatorPathOf<M>> = z.input<
  NonNullable<OperatorRow<M, P>['body']>
>
export type OperatorProject = OperatorResponse<'get', '/projects/{id}'>
export type OperatorProjectRow = OperatorResponse<'get', '/projects'>['items'][number]
export type OperatedAccount = OperatorResponse<'get', '/accounts/{id}'>
export type ServerState = OperatorResponse<'get', '/server'>
export type FoundMail = ResponseOf<'get', '/mails'>['items'][number]
export type GalleryFolder = ResponseOf<'get', '/gallery/folders/{id}'>
export type GalleryImage = ResponseOf<'get', '/gallery/images/{id}'>
export type ImageUse = ResponseOf<'get', '/gallery/images/{id}/uses'>['items'][number]
export type Template = ResponseOf<'get', '/templates/{id}'>
export type TemplateChanges = BodyOf<'patch', '/templates/{id}'>
export type DesignSystem = ResponseOf<'get', '/design-systems'>['items'][number]
export type SignupForm = ResponseOf<'get', '/signup-forms/{id}'>
export type SignupFormChanges = BodyOf<'patch', '/signup-forms/{id}'>
