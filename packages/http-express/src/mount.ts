/** The path below which the application is reached, without a slash at the end: empty at the root of a host. */
export const mountOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
