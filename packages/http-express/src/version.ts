import { createRequire } from 'node:module'
import { z } from 'zod'

const Package = z.object({ version: z.string() })

/** Also the API's version. */
export const { version } = Package.parse(createRequire(import.meta.url)('../package.json'))
