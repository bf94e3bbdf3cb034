import type { Response } from 'express'
import { z } from 'zod'

/** What `run` returns for a row that responds with a file. */
export const Download = z.object({ filename: z.string(), content: z.string() })
export type Download = z.output<typeof Download>

/** The success view of a row that responds with an attachment, without the envelope, in one of these content types. */
export const download = (contentType: string, ...others: readonly string[]): typeof Download =>
  Download.meta({ contentTypes: [contentType, ...others] })

/** The content types of a row's file, the default first; empty if the row responds in the envelope. */
export const downloadTypesOf = (view: z.ZodType): readonly string[] => {
  const contentTypes = view.meta()?.contentTypes
  return Array.isArray(contentTypes) ? contentTypes.map(String) : []
}

/** Sends the file as an attachment, its name quoted as RFC 6266 requires. */
export const sendDownload = (response: Response, contentType: string, { filename, content }: Download): void => {
  response.attachment(filename).type(contentType).send(Buffer.from(content))
}

/** Reads the file from a response, as a client does. */
export const readDownload = async (answer: globalThis.Response): Promise<Download> => ({
  filename: /filename="?([^";]*)/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '',
  content: await answer.text(),
})
