import type { Response } from 'express'
import { z } from 'zod'

/** What the `run` of a row answers that gives a file away. */
export const Download = z.object({ filename: z.string(), content: z.string() })
export type Download = z.output<typeof Download>

/** The success of a row that answers a file as an attachment, without the envelope: of the one type, or of several. */
export const download = (contentType: string, ...others: readonly string[]): typeof Download =>
  Download.meta({ contentTypes: [contentType, ...others] })

/** The content types that the file of a row may have, the usual one first; none for one that answers in the envelope. */
export const downloadTypesOf = (view: z.ZodType): readonly string[] => {
  const contentTypes = view.meta()?.contentTypes
  return Array.isArray(contentTypes) ? contentTypes.map(String) : []
}

/** Sends the file; its name is quoted as RFC 6266 asks. */
export const sendDownload = (response: Response, contentType: string, { filename, content }: Download): void => {
  response.attachment(filename).type(contentType).send(Buffer.from(content))
}

/** The file of an answer, as a client reads it. */
export const readDownload = async (answer: globalThis.Response): Promise<Download> => ({
  filename: /filename="?([^";]*)/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '',
  content: await answer.text(),
})
