import type { Project } from '../../projects/project.js'

/**
 * A sending account in a region, the server's own or a project's. The server's channel has no region if it is the same in all regions, as a
 * relay is. Rate limit, concurrency, throttling and pauses are per channel.
 */
export type Channel =
  | { readonly account: 'server'; readonly region?: string }
  | { readonly account: 'project'; readonly projectId: string; readonly region: string }

/** Transactional mail has its own lane, so that campaigns never delay it. */
export type Lane = 'transactional' | 'bulk'

/** A channel of a project's own account. */
export type OwnChannel = Extract<Channel, { readonly account: 'project' }>

/** The server's own channel if it is the same in all regions, and the channel of dispatches stored before channels existed. */
export const serverChannel: Channel = { account: 'server' }

/** `server`, `server:<region>` or `project:<project>:<region>`; unique per channel. */
export const channelKey = (channel: Channel): string => {
  if (channel.account === 'project') return `project:${channel.projectId}:${channel.region}`
  return channel.region === undefined ? 'server' : `server:${channel.region}`
}

/** The channel that a project's mail from a sender in that region uses now. */
export const channelOf = (
  { _id: projectId, status }: Pick<Project, '_id' | 'status'>,
  region: string,
  { perRegion }: { readonly perRegion: boolean },
): Channel => {
  if (status === 'byoCloudSes') return { account: 'project', projectId, region }
  return perRegion ? { account: 'server', region } : serverChannel
}
