import type { Draft } from './content-step.js'

/** Changes with what recipients get: not with name, audience or time. FNV-1a of 32 bits, and the length. */
export const fingerprintOf = ({
  subject,
  previewText,
  senderIdentity,
  replyTo,
  type,
  documents,
  feeds,
}: Draft): string => {
  const text = JSON.stringify([subject, previewText, senderIdentity, replyTo, type, documents[type], feeds])
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return `${(hash >>> 0).toString(16)}-${text.length}`
}
