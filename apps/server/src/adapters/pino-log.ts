import type { Log } from '@posthorn/core'
import { pino } from 'pino'

/** Core's log as lines of JSON on standard error, which leaves standard output to what people asked for. */
export const pinoLog = (level: string): Log => {
  const logger = pino({ level, base: null, serializers: { error: pino.stdSerializers.err } }, pino.destination(2))
  return (at, message, fields) => logger[at](fields ?? {}, message)
}
