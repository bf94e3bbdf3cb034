import type { Channel } from '@posthorn/core'
import { channelKey, type Mailers } from '@posthorn/core/ports'
import { type RecordingMailer, type RecordingMailerSettings, recordingMailer } from './recording-mailer.js'

export type RecordingMailers = Mailers & {
  /** The channel's mailer, by the channel's key: `server`, `server:<region>`, `project:<project>:<region>`. */
  readonly at: (key: string) => RecordingMailer
  /** Has the mailer of that channel not be had from now on, for that reason. */
  readonly fail: (key: string, error: Error) => void
  /** Has it be had again. */
  readonly mend: (key: string) => void
  /** Has whoever asks for that channel's mailer wait for ever. */
  readonly hang: (key: string) => void
}

/** A recording mailer for each channel, with its settings by the channel's key. */
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
    of: async (channel: Channel) => {
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
