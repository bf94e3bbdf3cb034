import type { Project } from '../../projects/project.js'

/** A sending account and region; a relay has no region. Rate, concurrency and pauses are per channel. */
export type SendingChannel =
  | { readonly account: 'server'; readonly region?: string }
  | { readonly account: 'project'; readonly projectId: string; readonly region: string }

/** Campaigns never delay transactional mail. */
export type Lane = 'transactional' | 'bulk'

export type OwnChannel = Extract<SendingChannel, { readonly account: 'project' }>

export const serverChannel: SendingChannel = { account: 'server' }

export const channelKey = (channel: SendingChannel): string => {
  if (channel.account === 'project') return `project:${channel.projectId}:${channel.region}`
  return channel.region === undefined ? 'server' : `server:${channel.region}`
}

export const channelOfProject = (
  { _id: projectId, status }: Pick<Project, '_id' | 'status'>,
  region: string,
  { perRegion }: { readonly perRegion: boolean },
): SendingChannel => {
  if (status === 'byoCloudSes') return { account: 'project', projectId, region }
  return perRegion ? { account: 'server', region } : serverChannel
}
