import { measureCampaign } from '../bed/campaign.js'
import type { Row } from '../row.js'

const sizes = [1_000, 10_000, 100_000, 1_000_000]

/** The rate against the size of the list: the same campaign to lists of all sizes up to `recipients`. */
export const listSize: Row = {
  name: 'list-size',
  onRequest: true,
  run: async (bed) => {
    const results = []
    for (const size of sizes.filter((one) => one <= bed.options.recipients))
      results.push(await measureCampaign(bed, `list-size-${size}`, await bed.installation(size), bed.options.mailer))
    return results
  },
}
