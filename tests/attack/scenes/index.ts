import type { Scene, Stage } from '../scene.js'
import { bodyScenes } from './bodies.js'
import { bounceScenes } from './bounces.js'
import { bulkScenes } from './bulk.js'
import { connectionScenes } from './connections.js'
import { consoleScenes } from './console.js'
import { documentScenes } from './documents.js'
import { fuzzScenes } from './fuzz.js'
import { keyScenes } from './keys.js'
import { listScenes } from './lists.js'
import { mcpScenes } from './mcp.js'
import { peopleScenes } from './people.js'
import { providerEventScenes } from './provider-events.js'
import { sendScenes } from './sends.js'
import { slowReceiverScenes } from './slow-receivers.js'
import { strangerScenes } from './strangers.js'
import { submissionScenes } from './submission.js'
import { templateScenes } from './templates.js'

/** Every attack there is, in the order in which they are made. */
export const allScenes = (size: Stage['size']): readonly Scene[] => [
  ...strangerScenes,
  ...keyScenes,
  ...mcpScenes,
  ...peopleScenes,
  ...templateScenes(size),
  ...documentScenes,
  ...listScenes,
  ...bodyScenes,
  ...sendScenes,
  ...bulkScenes,
  ...bounceScenes,
  ...submissionScenes,
  ...fuzzScenes,
  ...connectionScenes,
  ...slowReceiverScenes,
  ...providerEventScenes,
  ...consoleScenes,
]
