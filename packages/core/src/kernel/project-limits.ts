import { invalid } from './refusal.js'
import { LimitReached, type RecordLimit, type Stored, whereOf } from './repository.js'
import type { InProject } from './shapes.js'

/** The most records per project (gaps.md, "Limits for a project"). */
export type ProjectLimits = {
  readonly customFields: number
  readonly contactTags: number
  readonly segments: number
  readonly subscriberLists: number
  readonly domains: number
  readonly senderIdentities: number
  readonly webhooks: number
}

export const standardLimits: ProjectLimits = {
  customFields: 500,
  contactTags: 10_000,
  segments: 1_000,
  subscriberLists: 1_000,
  domains: 200,
  senderIdentities: 1_000,
  webhooks: 20,
}

/** For `add` and `addNew`. */
export const projectRecordLimit = <T extends Stored>(projectId: string, limit: number): RecordLimit<T> => ({
  where: whereOf<Pick<InProject, 'projectId'>, T & InProject>({ projectId }),
  limit,
})

/** For `catch`: turns `LimitReached` into a refusal. @param records in the plural: `segments` */
export const ifLimitReached =
  (records: string) =>
  (error: unknown): never => {
    if (error instanceof LimitReached)
      throw invalid(
        `The project may have at most ${error.limit} ${records}. Delete some, or ask the operator to raise the limit.`,
      )
    throw error
  }
