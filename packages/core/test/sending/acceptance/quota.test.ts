import type { Project } from '@posthorn/core/ports/storage'
import { anAccount, aProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { quotaRefusal, quotasFor } from '../../../src/sending/acceptance/quota.js'

const account = anAccount({ _id: 'a', creditGranted: 500 })
const project = (changes: Partial<Project>) => aProject({ _id: 'p', accountId: 'a', status: 'sandbox', ...changes })
const settings = { sandboxDailyLimit: 100 }
/** The last second of a UTC month, so that a local reading of the day would show. */
const now = new Date('2026-01-31T23:59:59.000Z')
const limits = (of: Project) => quotasFor(of, account, 7, now, settings).map(({ key, limit }) => [key, limit])

describe('the quotas of a mail', () => {
  it('are credit and the UTC day in the sandbox', () => {
    expect(limits(project({}))).toEqual([
      ['credit:a', 500],
      ['sandbox-day:p:2026-01-31', 100],
    ])
  })

  it('are credit and the UTC month in production', () => {
    expect(limits(project({ status: 'production', monthlyLimit: 1000 }))).toEqual([
      ['credit:a', 500],
      ['month:p:2026-01', 1000],
    ])
  })

  it('count the month even without a limit, in case one is set', () => {
    expect(limits(project({ status: 'production', monthlyLimit: 0 }))).toEqual([
      ['credit:a', 500],
      ['month:p:2026-01', undefined],
    ])
  })

  it('are credit only for an own account', () => {
    expect(limits(project({ status: 'byoCloudSes' }))).toEqual([['credit:a', 500]])
  })

  it('are refused in the specification’s words', () => {
    const told = (of: Project) => {
      const quotas = quotasFor(of, account, 1, now, settings)
      return quotas.map((quota) => quotaRefusal(quotas, quota).message)
    }
    expect(told(project({}))).toEqual(['Insufficient credits available', 'Daily sandbox limit exceeded'])
    expect(told(project({ status: 'production' }))).toEqual([
      'Insufficient credits available',
      'Monthly limit exceeded',
    ])
  })
})
