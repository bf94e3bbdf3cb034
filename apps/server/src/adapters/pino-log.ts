import type { Log } from '@posthorn/core'
import { pino } from 'pino'

/** On standard error: standard output is for results. */
export const pinoLog = (level: string): Log => {
  const logger = pino({ level, base: null, serializers: { error: pino.stdSerializers.err } }, pino.destination(2))
  return (at, message, fields) => logger[at](fields ?? {}, message)
}
