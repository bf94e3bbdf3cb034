import { retried } from '../connection/retried.js'

/** Tries as `retried` does, and knows afterwards whether anything had to be tried again: the first try may still arrive. */
export const countedTries = () => {
  let isMany = false
  const tries: typeof retried = (work) => {
    let isFirst = true
    return retried(() => {
      isMany ||= !isFirst
      isFirst = false
      return work()
    })
  }
  return { tries, wereMany: () => isMany }
}
