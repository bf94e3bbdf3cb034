/**
 * Plain JavaScript, as a thread loads it. What it takes it answers as the message id, after the mail's reference where it has one; some addresses end the thread, or are never answered.
 * How many it was handed it counts in `handed`, memory that others share.
 */
export const openMailer = ({ fails, handed = new Int32Array(1) }) => {
  if (fails) throw new Error('It cannot be opened')
  const hoard = []
  const grow = () => {
    for (;;) hoard.push(new Array(100_000).fill(hoard.length))
  }
  return {
    send: async ({ to, mime, reference }) => {
      Atomics.add(handed, 0, 1)
      if (to.startsWith('ends')) process.exit(1)
      if (to.startsWith('hoards')) grow()
      if (to.startsWith('slow')) await new Promise((resolve) => setTimeout(resolve, 1))
      if (to.startsWith('hangs')) await new Promise(() => undefined)
      return { kind: 'accepted', providerMessageId: reference ? `${reference} ${mime}` : mime }
    },
    concurrency: 4,
    close: async () => undefined,
  }
}
