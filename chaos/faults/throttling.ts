import type { Fault } from '../fault.js'

/** One mail in five is told to come later, by 4xx replies to its recipient or to the whole of it. */
export const throttling: Fault = {
  name: '20 % throttling',
  strike: async (stage) => {
    const { mails } = await stage.sink.report()
    await stage.sink.behave({ throttled: 0.2 })
    await stage.taken(mails + stage.random.between(stage.recipients / 20, stage.recipients / 2))
    await stage.sink.behave({})
    return 0
  },
}
