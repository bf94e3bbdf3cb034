import type { Page } from 'playwright-core'
import type { OperatorProject, OperatorProjectRow, ServerState } from '../../src/api/types.js'
import { edited, fetched } from './edited.js'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

const project = (name: string, changes: Partial<OperatorProject> = {}): OperatorProject => ({
  _id: `project${name.length}`,
  name,
  accountId: 'account1',
  accountName: 'Kestrel Books',
  status: 'sandbox',
  restricted: false,
  monthlyLimit: 0,
  createdAt: daysAgo(40),
  credits: 12_480,
  sent: 312,
  sentThisMonth: 214,
  requestStatus: 'pending',
  domains: [
    { domain: 'kestrel.example', region: 'eu-west-1', verified: true },
    { domain: 'events.kestrel.example', region: 'eu-west-1', verified: false },
  ],
  bounce: { rate: 0.32, pct: 12.8 },
  complaint: { rate: 0, pct: 0 },
  ...changes,
})

const waiting: readonly OperatorProject[] = [
  project('Kestrel newsletter', {
    request: {
      _id: 'request1',
      projectId: 'project18',
      status: 'pending',
      application: {
        volume: 50_000,
        whyBluefox: 'Our old service moves its data out of the country.',
        typeOfEmails: 'A newsletter every other week, receipts, and invitations to readings in our shop.',
        contactsSource: 'Customers who ticked the box at the till or in the shop online, with double opt-in.',
        productDescription: 'A bookshop in Hamburg with a website.\nFounded in 1987, eleven people.',
        website: 'https://kestrel.example',
      },
      limitIncreases: [],
      createdAt: daysAgo(2),
      updatedAt: daysAgo(2),
    },
  }),
  project('Harbour magazine', {
    status: 'production',
    monthlyLimit: 20_000,
    sent: 18_940,
    sentThisMonth: 17_220,
    requestStatus: 'approved',
    restricted: true,
    restrictedReason: 'complaint rate of 0.09 % over the last 7 days (5 of 5312 mails), above 0.05 %',
    complaint: { rate: 0.09, pct: 180 },
    request: {
      _id: 'request2',
      projectId: 'project16',
      status: 'approved',
      answer: 'Welcome. Write to us before you send more than 20 000 mails a month.',
      limitIncreases: [
        {
          requestedLimit: 80_000,
          reason: 'The list has grown since the fair, and we send twice a month now.',
          status: 'pending',
          createdAt: daysAgo(1),
        },
      ],
      createdAt: daysAgo(90),
      updatedAt: daysAgo(1),
    },
  }),
]

export const reviewsThatWait = async (page: Page): Promise<void> => {
  await edited(page, /^\/operator\/reviews$/, () => ({ items: waiting, count: waiting.length }))
  await page.route(/\/console\/api\/operator\/projects\/project\d+$/, (route) =>
    route.fulfill({ json: { status: 200, result: { ...waiting[0], status: 'production', restricted: false } } }),
  )
}

export const operatedProjects = (page: Page): Promise<void> =>
  edited(page, /^\/operator\/projects$/, () => {
    const items: readonly OperatorProjectRow[] = [
      ...waiting,
      project('Own cloud', { status: 'byoCloudSes', sent: 1_204_331 }),
      project('A project with a name that is longer than a column of any table would like it to be'),
    ]
    return { items, count: 128 }
  })

export const busyServer = (page: Page): Promise<void> =>
  edited(page, /^\/operator\/server$/, (is): ServerState => {
    const state = is as unknown as ServerState
    return {
      ...state,
      lanes: [
        {
          lane: 'transactional',
          queued: 3,
          sending: 2,
          uncertain: 0,
          oldest: new Date(Date.now() - 4_000).toISOString(),
        },
        { lane: 'bulk', queued: 184_220, sending: 96, uncertain: 1, oldest: daysAgo(0.02) },
      ],
      channels: [
        { account: 'server', region: 'eu-west-1', ratePerSecond: 90, usedPerSecond: 88 },
        {
          account: 'project',
          projectId: '0000019a2b3c4d5e6f708192',
          region: 'us-east-1',
          ratePerSecond: 0,
          usedPerSecond: 0,
          reason: 'Amazon SES has paused sending of this account.',
        },
      ],
      webhooksWaiting: 12,
      unreadEvents: 1,
      ...(state.server && {
        server: {
          ...state.server,
          backup: {
            directory: '/var/backups/posthorn',
            everySeconds: 86_400,
            lastAt: daysAgo(1.2),
            nextAt: daysAgo(0.2),
            problem: 'ENOSPC: no space left on device, write',
          },
        },
      }),
    }
  })

/** With the projects of the person changed so. */
const withProjects = async (page: Page, change: (one: Readonly<Record<string, unknown>>) => object): Promise<void> => {
  await page.route(/\/console\/api\/session$/, async (route) => {
    const response = await fetched(route)
    if (!response.ok()) return route.fulfill({ response })
    const body = (await response.json()) as {
      readonly result: { readonly projects: readonly Record<string, unknown>[] }
    }
    const projects = body.result.projects.map((one) => ({ ...one, ...change(one) }))
    await route.fulfill({ response, json: { ...body, result: { ...body.result, projects } } })
  })
}

/** The operator is no member of the project. */
export const projectOfOthers = (page: Page) => withProjects(page, () => ({ _id: 'elsewhere' }))

/** The operator reads the project. */
export const viewedProject = (page: Page) =>
  withProjects(page, () => ({
    role: 'analyst',
    permissions: ['project.read', 'figures.read', 'addresses.read'],
    viewUntil: new Date(Date.now() + 40 * 60_000).toISOString(),
  }))
