import { z } from 'zod'
import { AccountView } from '../accounts/accounts.js'
import { Count, Id, Instant } from '../kernel/shapes.js'
import { AccessRequestView, accessRequestStatuses } from '../production-access/access-request.js'
import { ProjectView } from '../projects/project.js'

const wholeNumber = (most: number, standard: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'expected a whole number')
    .transform((text) => Math.min(Number(text), most))
    .default(standard)

const page = { skip: wholeNumber(999_999_999, 0), limit: wholeNumber(30, 20) }
const search = z.string().max(200).default('').describe('A part of the name')

export const AccessReviewsQuery = z.strictObject({
  state: z.enum(['waiting', 'decided']).default('waiting').describe('Whether an application waits'),
  ...page,
})
export const OperatorAccountsQuery = z.strictObject({ search, ...page })
export const OperatorProjectsQuery = z.strictObject({
  search,
  accountId: Id.optional(),
  restricted: z.enum(['true', 'false']).optional(),
  ...page,
})

const pageOf = <V extends z.ZodType>(view: V) => z.object({ items: z.array(view), count: Count })

export const OperatedProject = ProjectView.pick({
  _id: true,
  name: true,
  status: true,
  restricted: true,
  restrictedReason: true,
  monthlyLimit: true,
  createdAt: true,
}).extend({
  accountId: Id,
  accountName: z.string(),
  credits: z.int().describe('Mails that the account can still send'),
  sent: Count.describe('Mails sent in the last 30 days'),
  requestStatus: z.enum(accessRequestStatuses),
})
export const OperatedProjectPage = pageOf(OperatedProject)

const Rate = z.object({
  rate: z.number().describe('Percent of the mails sent: the worst of the last 7, 30 and 90 days'),
  pct: z.number().describe('The rate as a percentage of the threshold that restricts'),
})

export const ReviewedProject = OperatedProject.extend({
  request: AccessRequestView.optional(),
  domains: z.array(z.object({ domain: z.string(), region: z.string(), verified: z.boolean() })),
  sentThisMonth: Count,
  bounce: Rate,
  complaint: Rate,
})
export type ReviewedProject = z.output<typeof ReviewedProject>
export const ReviewedProjectPage = pageOf(ReviewedProject)

export const OperatedAccount = AccountView.extend({ projects: Count.describe('Number of its projects') })
export type OperatedAccount = z.output<typeof OperatedAccount>
export const OperatedAccountPage = pageOf(OperatedAccount)

export const CreditFields = z.strictObject({ credits: z.int().min(1).max(1_000_000_000_000) })

const Check = z.object({
  what: z.string(),
  ok: z.boolean(),
  says: z.string(),
  todo: z.string().optional().describe('What to do'),
})

/** What only the running program knows, not the core. */
export const ServerReport = z.object({
  version: z.string(),
  store: z.string(),
  node: z.string(),
  mailer: z.string(),
  roles: z.array(z.string()),
  startedAt: Instant,
  outbox: z.object({ path: z.string(), mails: Count }).optional().describe('Mails are kept there instead of sent'),
  backup: z
    .object({
      directory: z.string(),
      everySeconds: Count,
      lastAt: Instant.optional(),
      nextAt: Instant.optional(),
      problem: z.string().optional().describe('Why the last one failed, or cannot be read'),
    })
    .optional()
    .describe('Absent if none are scheduled'),
})
export type ServerReport = z.output<typeof ServerReport>
export const ServerChecks = z.object({ checks: z.array(Check) })
export type ServerChecks = z.output<typeof ServerChecks>

export const OperatedServer = z.object({
  server: ServerReport.optional().describe('Absent if another program runs the engine'),
  hasChecks: z.boolean(),
  notReady: z.string().optional(),
  isPaused: z.boolean().describe('Whether this process’s worker is paused'),
  lanes: z.array(
    z.object({
      lane: z.enum(['transactional', 'bulk']),
      queued: Count,
      sending: Count,
      uncertain: Count,
      oldest: Instant.optional(),
    }),
  ),
  channels: z.array(
    z.object({
      account: z.enum(['server', 'project']),
      projectId: Id.optional(),
      region: z.string().optional(),
      ratePerSecond: z.number().optional().describe('Mails per second now; absent: no limit is known'),
      usedPerSecond: z.number(),
      reason: z.string().optional().describe('Why nothing is sent now'),
    }),
  ),
  webhooksWaiting: Count,
  unreadEvents: Count,
})
export type OperatedServer = z.output<typeof OperatedServer>
