/** Plain JavaScript, as a thread loads it. What it takes it answers as the message id; some addresses end the thread, or are never answered. */
export const openMailer = ({ fails }) => {
  if (fails) throw new Error('It cannot be opened')
  const hoard = []
  const grow = () => {
    for (;;) hoard.push(new Array(100_000).fill(hoard.length))
  }
  return {
    send: async ({ to, mime }) => {
      if (to.startsWith('ends')) process.exit(1)
      if (to.startsWith('hoards')) grow()
      if (to.startsWith('hangs')) await new Promise(() => undefined)
      return { kind: 'accepted', providerMessageId: mime }
    },
    concurrency: 4,
    close: async () => undefined,
  }
}
