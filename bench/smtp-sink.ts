import { createServer } from 'node:net'

/** An SMTP server that takes everything and keeps nothing, in a process of its own. Says its port to its parent. */
const server = createServer((socket) => {
  let data = false
  let rest = ''
  socket.setNoDelay(true)
  socket.write('220 sink\r\n')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    let answer = ''
    for (;;) {
      if (data) {
        const end = rest.indexOf('\r\n.\r\n')
        if (end < 0) {
          rest = rest.slice(-4)
          break
        }
        rest = rest.slice(end + 5)
        data = false
        answer += '250 2.0.0 taken\r\n'
        continue
      }
      const end = rest.indexOf('\r\n')
      if (end < 0) break
      const verb = rest.slice(0, 4).toUpperCase()
      rest = rest.slice(end + 2)
      data = verb === 'DATA'
      answer +=
        verb === 'EHLO'
          ? '250-sink\r\n250 PIPELINING\r\n'
          : data
            ? '354 go on\r\n'
            : verb === 'QUIT'
              ? '221 bye\r\n'
              : '250 2.0.0 ok\r\n'
    }
    if (answer !== '') socket.write(answer)
  })
})

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }))
process.on('disconnect', () => process.exit(0))
