import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Has a process end without a word as soon as it has noted for the first time how far its import has come. */
const { renameSync } = fs
fs.renameSync = (from, to) => {
  renameSync(from, to)
  if (String(to).endsWith('.import.json')) process.kill(process.pid, 'SIGKILL')
}
syncBuiltinESMExports()
