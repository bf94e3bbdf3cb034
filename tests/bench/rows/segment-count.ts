import { measureLists, segment } from '../bed/lists.js'
import type { Row } from '../row.js'

/** How many contacts a segment of three conditions has, by a list of one. */
export const segmentCount: Row = {
  name: 'segment-count',
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    return [
      await measureLists(
        bed,
        installation,
        'segment-count',
        1,
        async (api) => `filter[segmentId]=${await api.made('/segments', segment)}`,
      ),
    ]
  },
}
