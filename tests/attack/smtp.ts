import { connect, type Socket } from 'node:net'

/** A connection to a mail server, from an address of loopback; what it says is one text. */
export const smtp = (port: number, from = '127.0.0.1') => {
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: from })
  let text = ''
  let isOver = false
  socket.on('data', (bytes) => {
    if (text.length < 1_000_000) text += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOver = true
  })

  /** Waits until it holds, the connection is over, or so many milliseconds have passed. */
  const until = async (holds: () => boolean, most: number): Promise<void> => {
    for (let waited = 0; waited < most && !holds() && !isOver; waited += 5)
      await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const repliesIn = () => text.match(/^\d{3} .*$/gm) ?? []

  return {
    /** What was said, the last line of each reply. */
    replies: repliesIn,
    isOver: () => isOver,
    /** Ends the connection, and answers whether it was over before. */
    end: () => socket.destroy(),
    /** Sends bytes as they are, as fast as they are taken. */
    write: (bytes: string | Buffer): Promise<void> =>
      new Promise((resolve) => {
        if (isOver || socket.destroyed) return resolve()
        socket.once('close', resolve)
        socket.write(bytes, () => {
          socket.off('close', resolve)
          resolve()
        })
      }),
    /** Waits for so many replies in all; half a minute at most, unless told. */
    heard: async (replies: number, most = 30_000): Promise<string> => {
      await until(() => repliesIn().length >= replies, most)
      return repliesIn()[replies - 1] ?? ''
    },
    /** Waits until the server has ended it. Answers whether it did. */
    ended: async (most: number): Promise<boolean> => {
      await until(() => isOver, most)
      return isOver
    },
    /** Says a line and answers the reply to it. */
    say: async (line: string): Promise<string> => {
      const before = repliesIn().length
      if (!isOver) socket.write(`${line}\r\n`, 'latin1')
      await until(() => repliesIn().length > before, 30_000)
      return repliesIn()[before] ?? ''
    },
  }
}
export type Smtp = ReturnType<typeof smtp>
