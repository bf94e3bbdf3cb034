import { z } from 'zod'
import { byteBoundedLookup, textMemoryBytes } from '../kernel/byte-bounded-cache.js'
import { asciiHost } from '../kernel/host-name.js'
import { changesSchemaOf } from '../kernel/merged.js'
import { blocked } from '../kernel/refusal.js'
import type { RecordLookup } from '../kernel/repository.js'
import { Id, Name, recordView, type Stamped, WebUrlOrNone } from '../kernel/shapes.js'
import { type Language, ProjectLanguage, standardLanguage } from '../languages/languages.js'
import { SegmentGroups } from '../segments/segment.js'
import { CloudConfig, CloudConfigFields, type StoredCloudConfig } from './cloud-config.js'
import { type TrackingChoice, TrackingFields, TrackingView } from './tracking-choice.js'

/** `subscribe-only`: creating a contact, subscribing, submitting forms (gaps.md, `browserAccess`). */
export const BrowserAccessLevel = z
  .enum(['full', 'subscribe-only', 'none'])
  .describe(
    'What pages of a whitelisted Origin may do. full: all that is open to them; subscribe-only: create a contact, subscribe and submit forms; none: nothing',
  )
export type BrowserAccessLevel = z.output<typeof BrowserAccessLevel>

export type BrowserAccessNeeded = Exclude<BrowserAccessLevel, 'none'>

export const projectStatuses = ['sandbox', 'production', 'byoCloudSes'] as const
export type ProjectStatus = (typeof projectStatuses)[number]

const removal = z.enum(['off', 'removeFromLists', 'deleteContact']).default('removeFromLists')

export const AutoRemoveFromList = z
  .strictObject({
    bounce: removal.describe('What a permanent bounce does'),
    complaint: removal.describe('What a complaint does'),
  })
  .meta({
    id: 'AutoRemoveFromList',
    description:
      'What a permanent bounce or a complaint does to the contact’s memberships; the suppression list has the address in any case',
  })
export type AutoRemoveFromList = z.output<typeof AutoRemoveFromList>

const UnengagedContactSegment = z.strictObject({ groups: SegmentGroups }).describe('Who counts as unengaged')

const domain = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

const readersLanguage = ProjectLanguage.describe(
  'Of the pages that recipients see and of signup forms, where a reader’s own is not known or not spoken here',
)

const condition = (
  category: 'contact-property' | 'engagement',
  operator: 'date-more-than' | 'received' | 'not-received' | 'not-opened',
  value: number,
  property?: string,
) => ({ category, operator, value, ...(property && { property }) })
const older = condition('contact-property', 'date-more-than', 365, 'createdAt')

/** Of every new project (gaps.md, "Segments"). */
export const standardUnengagedSegment: { readonly groups: SegmentGroups } = {
  groups: [
    { conditions: [older, condition('engagement', 'received', 90), condition('engagement', 'not-opened', 90)] },
    { conditions: [older, condition('engagement', 'not-received', 90)] },
  ],
}

/** Spec, "Project": updatable fields. */
export const ProjectChanges = changesSchemaOf(
  z.strictObject({
    name: Name.describe('What the project is called'),
    logoUrl: WebUrlOrNone.optional().describe('null or an empty string removes the logo'),
    unengagedContactSegment: UnengagedContactSegment.optional(),
    cloudConfig: CloudConfigFields.optional(),
    status: z
      .unknown()
      .describe('Only byoCloudSes is accepted, with an account in cloudConfig that sends; any other value is ignored'),
    autoRemoveFromList: AutoRemoveFromList.optional(),
    whiteList: z
      .array(
        z
          .string()
          .overwrite((text) => (asciiHost(text.trim()) ?? text).toLowerCase())
          .refine((text) => domain.test(text) && asciiHost(text) !== undefined, {
            error: 'expected a bare domain, without protocol or path',
          }),
      )
      .max(200)
      .optional()
      .describe('Host names whose pages may call the endpoints that are open to browsers'),
    browserAccess: BrowserAccessLevel.optional(),
    tracking: TrackingFields.optional(),
    language: readersLanguage.optional(),
    customSubscriptionPreferencesUrl: WebUrlOrNone.optional().describe(
      'Where unsubscribe and pause links lead instead of Posthorn’s own page, with the address and a token; null or an empty string removes it',
    ),
  }),
)
export type ProjectChanges = z.input<typeof ProjectChanges>

/** Spec, "Project". */
export const ProjectView = recordView({
  name: z.string().describe('What the project is called'),
  logoUrl: z.string().optional().describe('Address of an image; empty where there is none'),
  designSystemId: Id,
  status: z
    .enum(projectStatuses)
    .describe('sandbox: few mails a day; production: reviewed; revoked: production was taken back'),
  restricted: z.boolean().describe('Whether sending is stopped, for bounces, complaints or by the operator'),
  restrictedReason: z.string().optional().describe('Present only while restricted'),
  unengagedContactSegment: UnengagedContactSegment,
  cloudConfig: CloudConfig.optional(),
  monthlyLimit: z.int().describe('Mails per month; 0 = unlimited'),
  autoRemoveFromList: AutoRemoveFromList,
  whiteList: z.array(z.string()).describe('Host names whose pages may call the endpoints that are open to browsers'),
  browserAccess: BrowserAccessLevel,
  tracking: TrackingView.prefault({}),
  language: readersLanguage.default(standardLanguage),
  customSubscriptionPreferencesUrl: z
    .string()
    .optional()
    .describe('Where preference and unsubscribe links lead instead of the server’s own page; an empty text clears it'),
}).meta({ id: 'Project', description: 'The unit of scoping' })
export type ProjectView = z.output<typeof ProjectView>

/** As stored, with credentials. */
export type Project = Stamped & {
  readonly accountId: string
  readonly name: string
  readonly logoUrl?: string
  readonly designSystemId: string
  readonly status: ProjectStatus
  readonly restricted: boolean
  readonly restrictedReason?: string
  /** Earlier bounces and complaints no longer count. */
  readonly restrictionLiftedAt?: string
  readonly unengagedContactSegment: { readonly groups: SegmentGroups }
  readonly cloudConfig?: StoredCloudConfig
  /** Required by the role in the project's own cloud account. Created once. */
  readonly cloudExternalId?: string
  readonly monthlyLimit: number
  readonly autoRemoveFromList: AutoRemoveFromList
  readonly whiteList: readonly string[]
  readonly browserAccess: BrowserAccessLevel
  readonly tracking?: TrackingChoice
  /** Absent means English. */
  readonly language?: Language
  readonly customSubscriptionPreferencesUrl?: string
  /** Changes with every change of the fields; caches compare it. */
  readonly customFieldsVersion?: string
}

/** Spec, "Project status". */
export const projectStatusMoves = {
  approveProduction: { from: ['sandbox'], to: 'production' },
  revokeProduction: { from: ['production'], to: 'sandbox' },
  leaveOwnCloud: { from: ['byoCloudSes'], to: 'sandbox' },
  useOwnCloud: { from: ['sandbox', 'production', 'byoCloudSes'], to: 'byoCloudSes' },
} as const satisfies Record<string, { from: readonly ProjectStatus[]; to: ProjectStatus }>
export type ProjectStatusMove = keyof typeof projectStatusMoves

/** @throws Refusal `blocked` if the table does not allow the move */
export const moveProjectStatus = (project: Project, move: ProjectStatusMove, now: string): Project => {
  const { from, to } = projectStatusMoves[move]
  if (!(from as readonly ProjectStatus[]).includes(project.status))
    throw blocked(`A project in status ${project.status} cannot become ${to} this way.`)
  return { ...project, status: to, updatedAt: now }
}

/** Shares of the server are charged to accounts: a customer may have many projects. */
export type AccountOf = (projectId: string) => Promise<string>

const maxBytes = 1024 * 1024

/** A 1 MB cache without expiry: a project never changes its account. A deleted project is its own account. */
export const accountLookup = (projects: RecordLookup<Pick<Project, '_id' | 'accountId'>>): AccountOf => {
  const answer = byteBoundedLookup<string>({ maxBytes, sizeOf: textMemoryBytes })
  return (projectId) => answer(projectId, async () => (await projects.get({ _id: projectId }))?.accountId ?? projectId)
}
