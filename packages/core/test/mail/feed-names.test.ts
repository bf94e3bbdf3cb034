import { TransactionalEmailFields } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { violationSentences } from '../../src/kernel/parsed.js'

const feed = (variableName: string) => ({ url: 'https://example.com/feed', feedType: 'json', variableName })
const wrong = (...names: readonly string[]) =>
  violationSentences(TransactionalEmailFields, { name: 'N', subject: 'S', feeds: names.map(feed) })

describe('a feed’s variable name', () => {
  it('must be unique in the email', () => {
    expect(wrong('news', 'News', 'shop')).toEqual([])
    expect(wrong('news', 'shop', 'news')).toEqual(['feeds[2].variableName: another feed is also named news'])
  })

  it.each(['contact', 'design', 'unsubscribeLink', 'pauseSubscriptionLink', 'verifyLink'])(
    'must not be reserved: %s',
    (name) => {
      expect(wrong('news', name)).toEqual([`feeds[1].variableName: the name ${name} is reserved`])
    },
  )

  it('is reported with all other violations', () => {
    expect(violationSentences(TransactionalEmailFields, { subject: 'S', feeds: [feed('contact')] })).toEqual([
      'Missing required field: name',
      'feeds[0].variableName: the name contact is reserved',
    ])
  })
})
