import type { SubmissionMeter } from '@posthorn/adapters-mail-in'
import { Counter, type Registry } from 'prom-client'

export const submissionMetrics = (registry: Registry): SubmissionMeter => {
  const messages = new Counter({
    name: 'posthorn_submission_messages_total',
    help: 'Mails given to the SMTP port: accepted, deferred by 4xx or refused by 5xx after DATA',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const signIns = new Counter({
    name: 'posthorn_submission_sign_ins_total',
    help: 'Sign-ins at the SMTP port',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ['accepted', 'deferred', 'refused']) messages.inc({ outcome }, 0)
  for (const outcome of ['accepted', 'refused']) signIns.inc({ outcome }, 0)
  return {
    message: (outcome) => messages.inc({ outcome }),
    signIn: (outcome) => signIns.inc({ outcome }),
  }
}
