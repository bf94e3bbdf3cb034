import type { Scene, Stage } from '../scene.js'
import { bodyScenes } from './bodies.js'
import { bounceScenes } from './bounces.js'
import { connectionScenes } from './connections.js'
import { documentScenes } from './documents.js'
import { fuzzScenes } from './fuzz.js'
import { keyScenes } from './keys.js'
import { listScenes } from './lists.js'
import { peopleScenes } from './people.js'
import { providerEventScenes } from './provider-events.js'
import { slowReceiverScenes } from './slow-receivers.js'
import { strangerScenes } from './strangers.js'
import { templateScenes } from './templates.js'

/** Every attack there is, in the order in which they are made. */
export const allScenes = (size: Stage['size']): readonly Scene[] => [
  ...strangerScenes,
  ...keyScenes,
  ...peopleScenes,
  ...templateScenes(size),
  ...documentScenes,
  ...listScenes,
  ...bodyScenes,
  ...bounceScenes,
  ...fuzzScenes,
  ...connectionScenes,
  ...slowReceiverScenes,
  ...providerEventScenes,
]
