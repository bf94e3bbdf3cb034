import type { Row } from '../row.js'
import { batch } from './batch.js'
import { campaignSes } from './campaign-ses.js'
import { campaignSmtp } from './campaign-smtp.js'
import { campaignSmtpTracked } from './campaign-smtp-tracked.js'
import { commands } from './commands.js'
import { consoleLoad } from './console-load.js'
import { contactList } from './contact-list.js'
import { contacts } from './contacts.js'
import { contactsBulk } from './contacts-bulk.js'
import { importing } from './import.js'
import { listSize } from './list-size.js'
import { memory } from './memory.js'
import { manyProjects } from './projects.js'
import { segmentCount } from './segment-count.js'
import { transactional } from './transactional.js'

/** The table, a line each; those `on request` are measured with `--scale`, or by their name. */
export const rows: readonly Row[] = [
  importing,
  campaignSmtp,
  campaignSmtpTracked,
  campaignSes,
  memory,
  transactional,
  batch,
  contacts,
  contactsBulk,
  segmentCount,
  contactList,
  consoleLoad,
  commands,
  listSize,
  manyProjects,
]
