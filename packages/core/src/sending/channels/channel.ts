import type { Project } from '../../projects/project.js'

/**
 * A way out: a sending account in a region, the server's own or a project's. The server's has no region where it is the same in all of
 * them, as a relay is. Pace, concurrency, throttling and pauses are per channel.
 */
export type Channel =
  | { readonly account: 'server'; readonly region?: string }
  | { readonly account: 'project'; readonly projectId: string; readonly region: string }

/** Transactional mail has a lane of its own, so that no campaign holds it up. */
export type Lane = 'transactional' | 'bulk'

/** That of a project's own account. */
export type OwnChannel = Extract<Channel, { readonly account: 'project' }>

/** The server's own, where it is the same in all regions; also that of dispatches that are older than channels. */
export const serverChannel: Channel = { account: 'server' }

/** `server`, `server:<region>` or `project:<project>:<region>`: one text for each channel. */
export const channelKey = (channel: Channel): string => {
  if (channel.account === 'project') return `project:${channel.projectId}:${channel.region}`
  return channel.region === undefined ? 'server' : `server:${channel.region}`
}

/** By what a project's mail from a sender of that region leaves now. */
export const channelOf = (
  { _id: projectId, status }: Pick<Project, '_id' | 'status'>,
  region: string,
  { perRegion }: { readonly perRegion: boolean },
): Channel => {
  if (status === 'byoCloudSes') return { account: 'project', projectId, region }
  return perRegion ? { account: 'server', region } : serverChannel
}
