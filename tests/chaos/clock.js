import { readFileSync } from 'node:fs'
import { register } from 'node:module'

// Loaded before the server: its clock is ahead by as many milliseconds as the file says, which is looked at twenty times a second.
const file = process.env.CHAOS_CLOCK
const RealDate = Date
let ahead = 0

const look = () => {
  try {
    ahead = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    // Nobody has moved the clock yet.
  }
}

if (file) {
  look()
  setInterval(look, 50).unref()
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(RealDate.now() + ahead)
      else super(...given)
    }
    static now() {
      return RealDate.now() + ahead
    }
  }

  // Time passes for the database as well: a server whose clock differs from its store's claims nothing.
  globalThis.chaosAhead = () => ahead
  const hooks = `export const load = async (url, context, next) => {
    const loaded = await next(url, context)
    if (!url.endsWith('/adapters-mongo/dist/connection/mongo-clock.js')) return loaded
    const source = Buffer.from(loaded.source).toString()
    return { ...loaded, source: source.replace('new Date(localTime)', 'new Date(localTime.getTime() + chaosAhead())') }
  }`
  register(`data:text/javascript,${encodeURIComponent(hooks)}`)
}
