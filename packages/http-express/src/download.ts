import type { Response } from 'express'
import { z } from 'zod'

/** What the `run` of a row answers that gives a file away. */
export const Download = z.object({ filename: z.string(), content: z.string() })
export type Download = z.output<typeof Download>

/** The success of a row that answers a file as an attachment, without the envelope. */
export const download = (contentType: string): typeof Download => Download.meta({ contentType })

/** The content type of the file that a row answers; undefined for one that answers in the envelope. */
export const downloadTypeOf = (view: z.ZodType): string | undefined => {
  const contentType = view.meta()?.contentType
  return typeof contentType === 'string' ? contentType : undefined
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
