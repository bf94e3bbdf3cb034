import { describe, expect, it } from 'vitest'
import { smtpMailer, smtpUrl } from '../../src/index.js'
import { smtpSettings } from '../../src/smtp/smtp-settings.js'

describe('an SMTP_URL', () => {
  it('contains host, port, user, password and parameters', () => {
    expect(
      smtpUrl('smtp://ada:s3cret@mail.example.com:2525?pool=7&requireTls=true&maxMessages=50&name=me.example'),
    ).toEqual({
      host: 'mail.example.com',
      port: 2525,
      secure: false,
      user: 'ada',
      pass: 's3cret',
      pool: 7,
      requireTls: true,
      maxMessages: 50,
      name: 'me.example',
    })
  })

  it('may be only a host, or an IPv6 address', () => {
    expect(smtpUrl('smtps://mail.example.com')).toEqual({ host: 'mail.example.com', secure: true })
    expect(smtpUrl('smtp://[::1]:25')).toEqual({ host: '::1', secure: false, port: 25 })
  })

  it('has percent-encoded special characters in its password', () => {
    expect(smtpUrl('smtp://ada%40example.com:p%40ss%2Fw%25rd@host')).toMatchObject({
      user: 'ada@example.com',
      pass: 'p@ss/w%rd',
    })
  })

  it.each([
    ['', 'write it as smtp://'],
    ['mail.example.com:587', 'write it as smtp://'],
    ['http://mail.example.com', 'write it as smtp://'],
    ['smtp://', 'write it as smtp://'],
    ['smtp://host:99999', 'write it as smtp://'],
    ['smtp://host/inbox', 'nothing may follow the host'],
    ['smtp://host?pool=many', 'pool=many is not understood'],
    ['smtp://host?requireTls=yes', 'requireTls=yes is not understood'],
    ['smtp://host?requireTLS=true', 'unknown parameter requireTLS; there are requireTls, verify'],
    ['smtp://host?__proto__=1', 'unknown parameter __proto__'],
    ['smtp://ada:50%@host', 'written %25'],
  ])('%j is rejected: %s', (url, message) => {
    expect(() => smtpUrl(url)).toThrow(message)
  })

  it('is rejected with all violations, and without the password', () => {
    const wrong = () => smtpUrl('smtp://ada:s3cret@host/x?pool=a&colour=red')
    expect(wrong).toThrow(/nothing may follow.*pool=a.*colour/)
    expect(wrong).not.toThrow(/s3cret/)
  })
})

describe('the SMTP settings', () => {
  it('default to the ports of RFC 6409 and RFC 8314', () => {
    expect(smtpSettings({ host: 'a.example' }).port).toBe(587)
    expect(smtpSettings({ host: 'a.example', secure: true }).port).toBe(465)
  })

  it('require TLS for a password sent to another machine, unless configured otherwise', () => {
    const login = { user: 'ada', pass: 's3cret' }
    expect(smtpSettings({ host: 'a.example', ...login }).requireTls).toBe(true)
    expect(smtpSettings({ host: '127.0.0.1', ...login }).requireTls).toBe(false)
    expect(smtpSettings({ host: 'a.example', ...login, requireTls: false }).requireTls).toBe(false)
    expect(smtpSettings({ host: 'a.example' }).requireTls).toBe(false)
  })

  it.each([
    [{ host: '' }, 'host name'],
    [{ host: 'a b' }, 'host name'],
    [{ host: 'a\r\nQUIT' }, 'host name'],
    [{ host: 'a', port: 0 }, 'port'],
    [{ host: 'a', user: 'ada' }, 'a user needs a password'],
    [{ host: 'a', pool: 0 }, 'pool'],
    [{ host: 'a', pool: 1.5 }, 'pool'],
    [{ host: 'a', maxMessages: 0 }, 'maxMessages'],
    [{ host: 'a', name: 'me\r\nRSET' }, 'name'],
    [{ host: 'a', timeouts: { data: Number.NaN } }, 'data time-out'],
  ])('%j are rejected: %s', (options, message) => {
    expect(() => smtpSettings(options)).toThrow(message)
  })

  it('override the URL, and allow three mails per connection', () => {
    expect(smtpMailer({ url: 'smtp://a.example?pool=7', pool: 3, log: () => undefined }).concurrency).toBe(9)
    expect(smtpMailer({ url: 'smtp://a.example?pool=7', log: () => undefined }).concurrency).toBe(21)
  })
})
