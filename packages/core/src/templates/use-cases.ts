import type { z } from 'zod'
import { mergeGiven } from '../emails/email-changes.js'
import { contentViolations } from '../emails/stored-email.js'
import { withWarnings } from '../emails/unknown-names.js'
import { usesOf } from '../emails/visual-document.js'
import { parsedBy, type Rule } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource } from '../kernel/project-resource.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import { type Template, TemplateChanges, TemplateFields, TemplateView } from './template.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ templates: Template }>
  readonly clock: Clock
  readonly newId: NewId
}

/** Checks subject and preview text as sending does. The document belongs to the editor and is never refused. */
const readable: Rule<z.output<typeof TemplateChanges>> = ({ subject, previewText }) =>
  contentViolations({ subject, previewText, type: 'visual' })

/** Spec, "Templates". */
export const templateUseCases = ({ repositories: { templates }, clock, newId }: Deps) => {
  const resource = projectResource(templates, TemplateView)

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid` */
    create: async ({ projectId, requestId }: Scope, input: TemplateFields): Promise<TemplateView> => {
      const { name, subject, previewText, document, tags, onProjectCreation } = await parsedBy(
        TemplateFields,
        input,
        readable,
      )
      const now = clock().toISOString()
      const template: Template = {
        _id: requestId ?? newId(),
        projectId,
        name,
        subject,
        ...(previewText && { previewText }),
        document,
        tags,
        onProjectCreation,
        ...usesOf(document),
        ...stamps(now),
      }
      await templates.add(template)
      return withWarnings(resource.show(template), template)
    },

    /** Merges the given fields; an empty previewText removes it. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: TemplateChanges): Promise<TemplateView> => {
      const changes = await parsedBy(TemplateChanges, input, readable)
      const given = { ...changes, ...(changes.document !== undefined && usesOf(changes.document)) }
      const now = clock().toISOString()
      const changed = (current: Template): Template => ({ ...mergeGiven(current, given), updatedAt: now })
      const before = await resource.stored(scope, id)
      return withWarnings(await resource.change(scope, id, changed), changed(before))
    },

    /** @throws Refusal `not-found` */
    remove: resource.remove,
  }
}
