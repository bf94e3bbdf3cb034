import { measureCampaign } from '../bed/campaign.js'
import type { Row } from '../row.js'

const sizes = [10_000, 100_000, 1_000_000]

/** The same campaign to smaller lists, each on a server of its own: whether memory follows the list's size. */
export const memory: Row = {
  name: 'memory',
  skipped: ({ recipients }) => (recipients <= 10_000 ? 'there is no smaller list to compare with' : undefined),
  run: async (bed) => {
    const results = []
    for (const size of sizes.filter((one) => one < bed.options.recipients))
      results.push(await measureCampaign(bed, `memory-${size}`, await bed.installation(size), bed.options.mailer))
    return results
  },
}
