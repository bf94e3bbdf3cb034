/** Lines after which servers quote the returned mail. */
const originals: readonly string[] = [
  '--- below this line',
  '--- below the next line',
  '------ this is a copy of',
  '--- the header of the original',
  '----- original message',
  '-----original message',
  '---- original message',
  '--- original message',
  '----- message header',
  '--- original mail',
  '--- ursprüngliche',
  '----- unsent message',
  '--- unsent message',
  '--- returned message',
  '--- header of',
  '--- attachment is a copy',
  'the first 50 lines of your original',
  '|---------------------- message text follows',
  '|--------- message text follows',
  'received: from',
  '\nreturn-path:',
]

/** Characters. */
const longestExplanation = 8_000

/** The returned mail's subject gives no reason: its sender wrote it. */
const quotedSubject = /^[^:\n]{0,40}\b(?:subject|betreff|objet|asunto|oggetto)\b[^:\n]{0,40}:.*$/gim

export const explanationIn = (text: string): string => {
  const start = text.slice(0, 64 * 1024).replace(quotedSubject, '')
  const lower = start.toLowerCase()
  const ends = originals.map((one) => lower.indexOf(one)).filter((at) => at > 0)
  return start.slice(0, Math.min(longestExplanation, ...ends))
}
