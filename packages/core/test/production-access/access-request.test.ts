import { accessRequestStatuses } from '@posthorn/core/ports/storage'
import { AccessApplication, violationSentences } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import {
  type AccessRequestMove,
  type AccessRequestStatus,
  accessRequestMoves,
  accessRequestStatusAfter,
} from '../../src/production-access/access-request.js'

/** Written out by hand, so that a change of the table is a change of this test. */
const allowed: Readonly<Record<AccessRequestStatus, readonly AccessRequestMove[]>> = {
  none: ['apply', 'approve'],
  pending: ['approve', 'decline'],
  approved: ['revoke'],
  declined: ['applyAgain', 'approve'],
  revoked: ['applyAgain', 'approve'],
}

const refusals: Readonly<Record<AccessRequestStatus, string>> = {
  none: 'The project has not asked for production access',
  pending: 'The production access is pending',
  approved: 'The production access is approved',
  declined: 'The production access is declined',
  revoked: 'The production access is revoked',
}

/** What it comes to: the status, or the refusal's message as far as it names the status. */
const outcomeOf = (attempt: () => string): string => {
  try {
    return attempt()
  } catch (error) {
    return (error as Error).message.split(', ')[0] ?? ''
  }
}

describe('a production-access request', () => {
  for (const status of accessRequestStatuses)
    for (const move of Object.keys(accessRequestMoves) as AccessRequestMove[])
      it(`in status ${status} ${allowed[status].includes(move) ? 'takes' : 'refuses'} the move ${move}`, () => {
        expect(outcomeOf(() => accessRequestStatusAfter(status, move))).toBe(
          allowed[status].includes(move) ? accessRequestMoves[move].to : refusals[status],
        )
      })
})

describe('an application for production access', () => {
  const application = {
    volume: 50_000,
    whyBluefox: 'Self-hosted',
    typeOfEmails: 'Receipts',
    contactsSource: 'Customers',
    productDescription: 'A shop',
    website: 'https://shop.example.com',
  }

  it('requires six fields, and reports all violations at once', () => {
    expect(violationSentences(AccessApplication, application)).toEqual([])
    expect(violationSentences(AccessApplication, {})).toEqual(
      Object.keys(application).map((field) => `Missing required field: ${field}`),
    )
    expect(
      violationSentences(AccessApplication, { ...application, volume: 0, typeOfEmails: '  ', colour: 'red' }),
    ).toEqual([
      expect.stringMatching(/^volume: /),
      expect.stringMatching(/^typeOfEmails: /),
      'Unexpected field: colour',
    ])
  })

  it.each([0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, '5000', null])('rejects the volume %j', (volume) => {
    expect(violationSentences(AccessApplication, { ...application, volume })).toEqual([
      expect.stringMatching(/^volume: /),
    ])
  })

  it.each([
    ['shop.example.com', 'https://shop.example.com'],
    [' www.shop.example.com/about ', 'https://www.shop.example.com/about'],
    ['shop.example.com:8080/about?from=form', 'https://shop.example.com:8080/about?from=form'],
    ['bücher.example', 'https://bücher.example'],
    ['http://shop.example.com', 'http://shop.example.com'],
  ])('accepts %j as the website %s', (website, read) => {
    expect(AccessApplication.parse({ ...application, website })).toHaveProperty('website', read)
  })

  it.each([
    ...['javascript:alert(1)', 'ftp://shop.example.com', 'https://', '', 'none', 'n/a', '.', 'ada@example.com'],
    ...['/about', '//shop.example.com', 'shop example.com'],
  ])('rejects the website %j', (website) => {
    expect(violationSentences(AccessApplication, { ...application, website })).toContain(
      'website: expected an http or https URL',
    )
  })
})
