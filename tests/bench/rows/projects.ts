import { startProcess } from '../bed/calls.js'
import { pacesOf } from '../bed/campaign.js'
import { makeInstallation } from '../bed/installation.js'
import type { SeedCalls } from '../bed/seed-projects.js'
import { type Bed, costs, percentiles, type Result, type Row, resultOf } from '../row.js'

const most = 20_000

const measure = async (bed: Bed, projects: number, recipients: number): Promise<Result> => {
  const contacts = Math.floor(recipients / projects)
  const mails = contacts * projects
  const installation = await makeInstallation({ contacts: 1, store: bed.storeAddress(`bench_projects_${projects}`) })
  try {
    const process = startProcess<SeedCalls>(new URL('../bed/seed-projects.ts', import.meta.url))
    await process.call('seed', {
      dataDir: installation.dataDir,
      mongodbUrl: installation.environment.MONGODB_URL,
      secret: installation.environment.POSTHORN_SECRET ?? '',
      projects,
      contacts,
    })
    await process.stop()
    return await bed.serving(
      installation,
      async ({ sink, metered }) => {
        const { used } = await metered(async () => {
          while ((await sink.report()).mails < mails) await new Promise((resolve) => setTimeout(resolve, 50))
        })
        const { first, last, moments } = await sink.report()
        return resultOf({
          name: `projects-${projects}`,
          recipients: mails,
          rate: (mails * 1000) / (last - first),
          unit: 'mails',
          ...percentiles(pacesOf(moments)),
          ...costs(used, mails),
          more: { projects },
        })
      },
      'smtp',
    )
  } finally {
    installation.remove()
  }
}

/** The rate against the number of projects: as many mails in all, of campaigns that all begin at once. */
export const manyProjects: Row = {
  name: 'projects',
  onRequest: true,
  run: async (bed) => {
    const recipients = Math.min(bed.options.recipients, most)
    const results = []
    for (const projects of [1, 10, 100, 1_000].filter((one) => one * 10 <= recipients))
      results.push(await measure(bed, projects, recipients))
    return results
  },
}
