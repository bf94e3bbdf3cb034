import { createRequire } from 'node:module'
import { z } from 'zod'

const Package = z.object({ version: z.string() })

/** Of the package, and so of the API that it serves. */
export const { version } = Package.parse(createRequire(import.meta.url)('../package.json'))
