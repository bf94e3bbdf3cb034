/** `shop.example/books` as `https://shop.example/books`. Leaves all that has a scheme or begins with a merge tag, `#` or `/`. */
export const completedLink = (written: string): string => {
  const link = written.trim()
  const isHost = /^[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#]|$)/u.test(link)
  return isHost ? `https://${link}` : link
}
