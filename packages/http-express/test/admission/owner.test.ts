import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { clientBlock } from '../../src/admission/owner.js'

describe('the address block of a request', () => {
  it('is that of the connection where a proxy names no address', () => {
    const request = (ip: string) => ({ ip, socket: { remoteAddress: '192.0.2.1' } }) as unknown as Request
    expect(clientBlock(request('198.51.100.9'))).toBe('198.51.100.9')
    expect(clientBlock(request('unknown'))).toBe('192.0.2.1')
    expect(clientBlock(request('x'.repeat(10_000)))).toBe('192.0.2.1')
  })
})
