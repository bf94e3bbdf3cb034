import { ownEventsName } from '@posthorn/core/ports/transport'

export type OwnTopic = { readonly projectId: string; readonly accountId: string; readonly region: string }

const form = /^arn:aws[a-z-]{0,20}:sns:([a-z0-9-]{1,40}):(\d{12}):([A-Za-z0-9_-]{1,100})$/
const prefix = ownEventsName('')

/** The project that the topic's name claims; anyone can choose that name. */
export const ownTopicIn = (topicArn: string): OwnTopic | undefined => {
  const [, region, accountId, name] = form.exec(topicArn) ?? []
  if (region === undefined || accountId === undefined || !name?.startsWith(prefix)) return undefined
  const projectId = name.slice(prefix.length)
  return projectId === '' ? undefined : { projectId, accountId, region }
}
