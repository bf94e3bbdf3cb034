import type { Core } from '@posthorn/core'
import { type Language, languages, type Messages, type PageReader, standardLanguage } from '@posthorn/core/ports'
import type { Request } from 'express'

/** Who reads a page: in which language it speaks, and whose name it carries. */
export type Reader = { readonly language: Language; readonly project?: PageReader['project'] }

/** What the pages say, in the reader's language. */
export const saidTo = ({ language }: Reader): Messages => languages[language]

/** What the browser asks for, as far as it is spoken here; where it does not mind, or asks for nothing, that one. */
export const browserLanguage = (request: Request, otherwise: Language = standardLanguage): Language => {
  const known = [otherwise, ...Object.keys(languages)]
  const asked = request.acceptsLanguages(known)
  return known.find((one): one is Language => one === asked) ?? otherwise
}

/** By the token of the link, and by what the browser asks for. */
export const readerOf = async (core: Core, request: Request): Promise<Reader> => {
  const { language, project, projectLanguage } = await core.pageReaders.of(request.query.token)
  return { language: language ?? browserLanguage(request, projectLanguage), ...(project && { project }) }
}

/** Where nothing can be looked up. */
export const strangerOf = (request: Request): Reader => ({ language: browserLanguage(request) })
