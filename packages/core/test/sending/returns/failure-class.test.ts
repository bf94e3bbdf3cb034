import { describe, expect, it } from 'vitest'
import { failureClasses, failureClassOf } from '../../../src/sending/returns/bounce-classifier.js'

describe('a failure’s class', () => {
  it.each([
    ['SmtpRefused', '550 5.1.1 <x@example.com>: no (in reply to RCPT TO)', 'gone'],
    ['SmtpRefused', '550-5.1.1 The address does not exist', 'gone'],
    ['SmtpRefused', '550 User unknown (in reply to RCPT TO)', 'gone'],
    ['SmtpDeferred', '452 4.2.2 Mailbox full (in reply to RCPT TO)', 'full'],
    ['SmtpRefused', '550 5.7.1 Rejected by policy, see 5.1.1.9 (in reply to DATA)', 'policy'],
    ['SmtpRefused', '554 Your address is on a blocklist', 'policy'],
    ['SmtpRefused', '550 5.1.8 Sender refused (in reply to MAIL FROM)', 'sender'],
    ['SmtpRefused', '552 5.3.4 Too large', 'message'],
    ['SmtpDeferred', '451 4.3.0 Try again', 'system'],
    ['SmtpRefused', '550 5.1.90 You reached your daily limit', 'throttled'],
    ['SmtpRefused', '550 2.1.5 Fine, and refused', 'other'],
    ['SmtpRefused', '599 Nothing that anybody knows', 'other'],
    ['SmtpRefused', '', 'other'],
    ['SmtpThrottled', '450 4.7.28 unusual rate', 'throttled'],
    ['SmtpConnectionLost', 'The connection was lost, user unknown', 'connection'],
    ['AccessDeniedException', 'The AWS credentials may not do this', 'account'],
    ['RenderFailure', 'The template has no such helper', 'content'],
    ['WorkerDied', 'Every worker that tried this mail died.', 'worker'],
    ['SendingThreadDied', 'The thread that was sending this mail ended.', 'worker'],
    ['toString', 'A name that objects have', 'other'],
  ])('of %s: %s', (name, message, expected) => {
    expect(failureClassOf({ name, message })).toBe(expected)
    expect(failureClasses).toContain(expected)
  })
})
