import { retried } from '../connection/retried.js'

/** Works as `retried`, and remembers whether any work was tried again: then an earlier try may still reach the server. */
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
