import type { EmailContent } from '../../emails/email-content.js'

/** What takes a while before the first mail of a sending, and need not wait until all of it is checked and durable. */
export type HeadStart = {
  /** Mails will leave soon. */
  readonly mails: () => void
  /** They go to many, and are made from that. */
  readonly content: (content: EmailContent, projectId: string) => void
}

/**
 * Where a sending that is being accepted tells the worker of its process what it may begin with. Where there is none, as where a process
 * only answers requests, nothing is begun.
 */
export const headStartDesk = () => {
  let worker: HeadStart | undefined
  return {
    mails: (): void => worker?.mails(),
    content: (content: EmailContent, projectId: string): void => worker?.content(content, projectId),
    /** From now on that worker is told. */
    takenBy: (by: HeadStart): void => {
      worker = by
    },
  }
}
export type HeadStartDesk = ReturnType<typeof headStartDesk>
