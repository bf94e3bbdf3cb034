import type { Log } from '@posthorn/core'

export type RecordedLogLine = {
  readonly level: Parameters<Log>[0]
  readonly message: string
  readonly fields: Parameters<Log>[2]
}

export const recordingLog = (): { readonly log: Log; readonly lines: readonly RecordedLogLine[] } => {
  const lines: RecordedLogLine[] = []
  return {
    lines,
    log: (level, message, fields) => {
      lines.push({ level, message, fields })
    },
  }
}

export const silentLog: Log = () => undefined
