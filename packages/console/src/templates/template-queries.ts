import { call } from '../api/client.js'
import type { Template } from '../api/types.js'
import { withoutIsolates } from '../text/filled.js'

/** With the document, which the API's own rows leave out. */
export type WholeTemplate = Template & { readonly type: 'visual'; readonly document: unknown }

/** @throws PosthornError */
export const documentOf = async (projectId: string, id: string): Promise<unknown> =>
  (await call(projectId, 'get', '/templates/{id}/document', { params: { id } })).document

/** @throws PosthornError */
export const wholeTemplate = async (projectId: string, id: string): Promise<WholeTemplate> => {
  const [template, document] = await Promise.all([
    call(projectId, 'get', '/templates/{id}', { params: { id } }),
    documentOf(projectId, id),
  ])
  return { ...template, type: 'visual', document }
}

/** @throws PosthornError */
export const copyOfTemplate = async (
  projectId: string,
  { _id, subject, previewText, tags }: Template,
  name: string,
): Promise<Template> =>
  call(projectId, 'post', '/templates', {
    body: {
      name: withoutIsolates(name).slice(0, 200),
      subject,
      document: await documentOf(projectId, _id),
      tags: [...tags],
      ...(previewText !== undefined && { previewText }),
    },
  })

/** What an email takes from a template. @throws PosthornError */
export const emailContentOf = async (projectId: string, { _id, subject, previewText }: Template) => ({
  subject,
  type: undefined,
  document: await documentOf(projectId, _id),
  ...(previewText !== undefined && { previewText }),
})
