import { fairLimiter } from '../../kernel/fair-limiter.js'
import { type Channel, channelKey } from './channel.js'
import type { Mailer } from './mailer.js'

type Used = { readonly limiter: ReturnType<typeof fairLimiter>; tasks: number }

/** Has each channel hand over as many mails at once as its mailer takes, its projects by turns; slow mails of one are in nobody else's way. */
export const channelLimiters = () => {
  const used = new Map<string, Used>()
  return async <T>(
    channel: Channel,
    { concurrency }: Pick<Mailer, 'concurrency'>,
    share: string,
    task: () => Promise<T>,
  ): Promise<T> => {
    const key = channelKey(channel)
    const one = used.get(key) ?? { limiter: fairLimiter(concurrency), tasks: 0 }
    used.set(key, one)
    one.tasks += 1
    try {
      return await one.limiter(task, share)
    } finally {
      one.tasks -= 1
      if (one.tasks === 0) used.delete(key)
    }
  }
}
