import type { SubmissionServer, SubmissionServerOptions } from '@posthorn/adapters-mail-in'
import type { Posthorn } from './posthorn.js'

export type SubmissionOptions = Omit<SubmissionServerOptions, 'submission' | 'log'> &
  Partial<Pick<SubmissionServerOptions, 'log'>>

/**
 * Close it before `posthorn.close()`.
 * @throws Error if the port or the certificate cannot be used
 */
export const openSubmission = async (
  { core }: Pick<Posthorn, 'core'>,
  { log = () => {}, ...options }: SubmissionOptions,
): Promise<SubmissionServer> => {
  const { submissionServer } = await import('@posthorn/adapters-mail-in')
  return submissionServer({ ...options, log, submission: core.submission })
}
