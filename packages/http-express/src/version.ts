import { createRequire } from 'node:module'
import { z } from 'zod'

const Package = z.object({ version: z.string() })

/** The package's version, which is also the API's. */
export const { version } = Package.parse(createRequire(import.meta.url)('../package.json'))
