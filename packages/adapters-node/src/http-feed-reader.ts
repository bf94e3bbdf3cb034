import type { FeedReader } from '@posthorn/core/ports/runtime'
import { type GuardedFetchOptions, guardedFetch } from './guarded-request.js'
import type { SandboxProcesses } from './sandbox/sandbox-processes.js'

/** Within 10 seconds and 5 MB (gaps.md, "Feeds"); parses in a sandbox process. */
export const httpFeedReader = ({ run }: SandboxProcesses, options: GuardedFetchOptions = {}): FeedReader => ({
  read: async ({ url, feedType }, projectId) => {
    const { body } = await guardedFetch(url, options)
    const { output, problems } = await run(feedType === 'json' ? 'feed-json' : 'feed-xml', body, projectId)
    if (output === undefined) throw new Error(problems.join('; '))
    return JSON.parse(output)
  },
})
