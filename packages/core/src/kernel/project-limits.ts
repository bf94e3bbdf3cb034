import { invalid } from './refusal.js'
import { type RecordLimit, RecordLimitReached, type StoredRecord, uncheckedWhere } from './repository.js'
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

export const standardProjectLimits: ProjectLimits = {
  customFields: 500,
  contactTags: 10_000,
  segments: 1_000,
  subscriberLists: 1_000,
  domains: 200,
  senderIdentities: 1_000,
  webhooks: 20,
}

/** For `add` and `addNew`. */
export const projectRecordLimit = <T extends StoredRecord>(projectId: string, limit: number): RecordLimit<T> => ({
  where: uncheckedWhere<Pick<InProject, 'projectId'>, T & InProject>({ projectId }),
  limit,
})

/** For `catch`: turns `RecordLimitReached` into a refusal. @param records in the plural: `segments` */
export const refuseIfLimitReached =
  (records: string) =>
  (error: unknown): never => {
    if (error instanceof RecordLimitReached)
      throw invalid(
        `The project may have at most ${error.limit} ${records}. Delete some, or ask the operator to raise the limit.`,
      )
    throw error
  }
