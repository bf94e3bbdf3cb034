import { measureLists, segment } from '../bed/lists.js'
import type { Row } from '../row.js'

/** Pages of 50 contacts with the count of all: of a list, and of a segment. */
export const contactList: Row = {
  name: 'contact-list',
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    const byList = async () => `filter[subscriberListId]=${installation.listId}`
    return [
      await measureLists(bed, installation, 'contact-list', 50, byList),
      await measureLists(
        bed,
        installation,
        'contact-list-by-segment',
        50,
        async (api) => `filter[segmentId]=${await api.made('/segments', segment)}`,
      ),
    ]
  },
}
