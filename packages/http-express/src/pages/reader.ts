import type { Core } from '@posthorn/core'
import {
  type Language,
  languages,
  type Messages,
  type PageReader,
  standardLanguage,
} from '@posthorn/core/ports/transport'
import type { Request } from 'express'

/** The reader of a page: the language, and the project whose name the page carries. */
export type Reader = { readonly language: Language; readonly project?: PageReader['project'] }

/** The messages of the pages in the reader's language. */
export const saidTo = ({ language }: Reader): Messages => languages[language]

/** The browser's preferred language among ours; `otherwise` if it has no preference. */
export const browserLanguage = (request: Request, otherwise: Language = standardLanguage): Language => {
  const known = [otherwise, ...Object.keys(languages)]
  const asked = request.acceptsLanguages(known)
  return known.find((one): one is Language => one === asked) ?? otherwise
}

/** Finds the reader by the token of the link and the language of the browser. */
export const readerOf = async (core: Core, request: Request): Promise<Reader> => {
  const { language, project, projectLanguage } = await core.pageReaders.of(request.query.token)
  return { language: language ?? browserLanguage(request, projectLanguage), ...(project && { project }) }
}

/** A reader of whom only the browser's language is known. */
export const strangerOf = (request: Request): Reader => ({ language: browserLanguage(request) })
