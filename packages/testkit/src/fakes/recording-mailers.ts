import type { SendingChannel } from '@posthorn/core'
import { channelKey } from '@posthorn/core/ports/storage'
import type { Mailers } from '@posthorn/core/ports/transport'
import { type RecordingMailer, type RecordingMailerSettings, recordingMailer } from './recording-mailer.js'

export type RecordingMailers = Mailers & {
  /** By the channel's key: `server`, `server:<region>`, `project:<project>:<region>`. */
  readonly at: (key: string) => RecordingMailer
  /** Makes `of` reject for that channel from now on. */
  readonly fail: (key: string, error: Error) => void
  /** Ends `fail`. */
  readonly mend: (key: string) => void
  /** Makes `of` never resolve for that channel. */
  readonly hang: (key: string) => void
}

/** Settings are by the channel's key. */
export const recordingMailers = (
  settings: Readonly<Record<string, RecordingMailerSettings>> = {},
  { perRegion = false } = {},
): RecordingMailers => {
  const made = new Map<string, RecordingMailer>()
  const troubles = new Map<string, () => Promise<never>>()

  const at = (key: string): RecordingMailer => {
    const mailer = made.get(key) ?? recordingMailer(settings[key])
    made.set(key, mailer)
    return mailer
  }

  return {
    perRegion,
    at,
    of: async (channel: SendingChannel) => {
      const key = channelKey(channel)
      await troubles.get(key)?.()
      return at(key)
    },
    fail: (key, error) => {
      troubles.set(key, () => Promise.reject(error))
    },
    mend: (key) => {
      troubles.delete(key)
    },
    hang: (key) => {
      troubles.set(key, () => new Promise(() => {}))
    },
  }
}
