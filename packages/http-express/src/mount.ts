/** Path prefix of the application, without a trailing slash; empty at the root of a host. */
export const mountOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
