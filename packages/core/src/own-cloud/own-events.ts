/** The name of the configuration set in a project's own account, and of its SNS topic: it identifies the project of the events. */
export const ownEventsName = (projectId: string): string => `posthorn-own-${projectId}`
