/** SES allows letters, digits, `_` and `-`, and 256 of them in a tag's value. */
export type TaggedMail = { readonly deliveryId: string; readonly projectId: string }

const delivery = 'posthorn-delivery'
const project = 'posthorn-project'
const longestValue = 256

type Tag = { readonly Name: string; readonly Value: string }

/** The delivery id, which contains an address or contact id, in base64url over as many tags as needed. */
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

export const deliveryIn = (tags: Readonly<Record<string, readonly string[]>>): string | undefined => {
  const pieces: string[] = []
  for (let name = delivery; ; name = `${delivery}-${pieces.length + 1}`) {
    const piece = Object.hasOwn(tags, name) ? tags[name]?.[0] : undefined
    if (piece === undefined) break
    pieces.push(piece)
  }
  return pieces.length === 0 ? undefined : Buffer.from(pieces.join(''), 'base64url').toString('utf8')
}
