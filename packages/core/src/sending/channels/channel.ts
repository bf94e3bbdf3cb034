import type { Project } from '../../projects/project.js'

/**
 * A sending account in a region, the server’s or a project’s; a relay has no region. Rate limit, concurrency,
 * throttling and pauses are per channel.
 */
export type Channel =
  | { readonly account: 'server'; readonly region?: string }
  | { readonly account: 'project'; readonly projectId: string; readonly region: string }

/** Campaigns never delay transactional mail. */
export type Lane = 'transactional' | 'bulk'

export type OwnChannel = Extract<Channel, { readonly account: 'project' }>

/** The server’s account if it is the same in all regions. */
export const serverChannel: Channel = { account: 'server' }

/** `server`, `server:<region>` or `project:<project>:<region>`. */
export const channelKey = (channel: Channel): string => {
  if (channel.account === 'project') return `project:${channel.projectId}:${channel.region}`
  return channel.region === undefined ? 'server' : `server:${channel.region}`
}

/** The channel for a project’s mail from a sender in that region. */
export const channelOf = (
  { _id: projectId, status }: Pick<Project, '_id' | 'status'>,
  region: string,
  { perRegion }: { readonly perRegion: boolean },
): Channel => {
  if (status === 'byoCloudSes') return { account: 'project', projectId, region }
  return perRegion ? { account: 'server', region } : serverChannel
}
