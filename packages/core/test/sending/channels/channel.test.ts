import { channelKey } from '@posthorn/core/ports/storage'
import { describe, expect, it } from 'vitest'
import { channelOfProject, serverChannel } from '../../../src/sending/channels/channel.js'

const project = { _id: 'p1', status: 'production' } as const
const own = { _id: 'p1', status: 'byoCloudSes' } as const

describe('the channel of a project’s mail', () => {
  it('is the server’s in all regions for one relay', () => {
    const channel = channelOfProject(project, 'eu-west-1', { perRegion: false })
    expect([channel, channelKey(channel)]).toEqual([serverChannel, 'server'])
  })

  it('is the server’s in the sender’s region if there is an account per region', () => {
    const channel = channelOfProject({ ...project, status: 'sandbox' }, 'eu-west-1', { perRegion: true })
    expect(channelKey(channel)).toBe('server:eu-west-1')
  })

  it.each([true, false])('is the project’s own account in the sender’s region', (perRegion) => {
    expect(channelKey(channelOfProject(own, 'us-east-1', { perRegion }))).toBe('project:p1:us-east-1')
  })
})
