import type { DatabaseSync } from '@photostructure/sqlite'

export type Connection = InstanceType<typeof DatabaseSync>
