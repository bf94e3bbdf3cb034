/** Ids that a mail's events return as tags: SES allows letters, digits, `_` and `-`, and 256 of them in a value. */
export type TaggedMail = { readonly deliveryId: string; readonly projectId: string }

const delivery = 'posthorn-delivery'
const project = 'posthorn-project'
const longestValue = 256

type Tag = { readonly Name: string; readonly Value: string }

/** Encodes the delivery's id, which contains an address or a contact's id, in base64url over as many tags as needed. */
export const tagsOf = ({ deliveryId, projectId }: TaggedMail): Tag[] => {
  const text = Buffer.from(deliveryId).toString('base64url')
  const pieces = Array.from({ length: Math.ceil(text.length / longestValue) }, (_, i) =>
    text.slice(i * longestValue, (i + 1) * longestValue),
  )
  return [
    { Name: project, Value: projectId },
    ...pieces.map((Value, i) => ({ Name: i === 0 ? delivery : `${delivery}-${i + 1}`, Value })),
  ]
}

/** The delivery named by an event's tags; undefined if there is none. */
export const deliveryIn = (tags: Readonly<Record<string, readonly string[]>>): string | undefined => {
  const pieces: string[] = []
  for (let name = delivery; ; name = `${delivery}-${pieces.length + 1}`) {
    const piece = Object.hasOwn(tags, name) ? tags[name]?.[0] : undefined
    if (piece === undefined) break
    pieces.push(piece)
  }
  return pieces.length === 0 ? undefined : Buffer.from(pieces.join(''), 'base64url').toString('utf8')
}
