import type { EventPoster } from '@posthorn/core/ports'
import { Counter, Histogram, type Registry } from 'prom-client'

/** The poster, with what became of its posts and how long receivers took. */
export const measuredPoster = (poster: EventPoster, registry: Registry): EventPoster => {
  const posts = new Counter({
    name: 'posthorn_webhook_posts_total',
    help: 'Posts to webhooks: accepted by a 2xx, refused by another status, or unreachable',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'posthorn_webhook_post_duration_seconds',
    help: 'How long receivers of webhooks took to answer, or to fail',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  for (const outcome of ['accepted', 'refused', 'unreachable']) posts.inc({ outcome }, 0)
  return {
    post: async (post) => {
      const end = durations.startTimer()
      const answer = await poster.post(post)
      end()
      const taken = answer.kind === 'answered' && answer.status >= 200 && answer.status <= 299
      posts.inc({ outcome: answer.kind === 'unreachable' ? 'unreachable' : taken ? 'accepted' : 'refused' })
      return answer
    },
  }
}
