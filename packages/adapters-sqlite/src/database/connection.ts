import type { DatabaseSync } from '@photostructure/sqlite'

/** One connection of SQLite to a file. */
export type Connection = InstanceType<typeof DatabaseSync>
