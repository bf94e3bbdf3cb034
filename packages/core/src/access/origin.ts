const hostOf = (origin: string): string | undefined => {
  const match = /^https?:\/\/([^/:@?#\s[\]]+)(?::\d{1,5})?$/i.exec(origin)
  return match?.[1]?.toLowerCase()
}

/**
 * Whether the Origin's host name, at any port, is one of the entries (gaps.md, "Whitelisted Origin"). An entry is that host
 * and no other: not its sub-domains. `null`, the Origin of sandboxed and local pages, never is.
 */
export const originAllowed = (whiteList: readonly string[], origin: string): boolean => {
  const host = hostOf(origin)
  return host !== undefined && whiteList.some((entry) => entry.toLowerCase() === host)
}
