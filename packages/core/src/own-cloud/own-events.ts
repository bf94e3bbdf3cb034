/**
 * What the configuration set, and the topic that it publishes to, are called in a project's own account: the name tells whose mails its
 * events are of.
 */
export const ownEventsName = (projectId: string): string => `posthorn-own-${projectId}`
