import { z } from 'zod'
import { type InputRule, parsedBy } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { assertBasedOn, projectResource, versionedChangesSchemaOf } from '../kernel/project-resource.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { headerTextSchema, type InProject, Name, PresentJson, recordView, stamps } from '../kernel/shapes.js'
import { contentViolations, MergeTagWarnings } from '../mail/content.js'
import { variablesAndComponentsIn, withMergeTagWarnings } from '../mail/merge-tags.js'
import { mergeGivenFields } from './email-resource.js'

/** Spec, "Template". */
const projectCreations = ['do-nothing', 'set-as-transactional', 'set-as-triggered', 'set-as-campaign'] as const

const fields = {
  name: Name.describe('Name of the template'),
  subject: headerTextSchema(998).describe('Subject of emails created from it'),
  previewText: z.string().max(1000).describe('What mailboxes show after the subject'),
  tags: z.array(z.string().min(1).max(100)).max(50).describe('Tags to find the template by'),
  onProjectCreation: z
    .enum(projectCreations)
    .describe('Email created from it when the operator copies the project to a new one'),
}

/** Spec, "Template". */
export const TemplateFields = z
  .strictObject({
    name: fields.name,
    subject: fields.subject,
    previewText: fields.previewText.optional().describe('An empty string removes it'),
    document: PresentJson.refine((document) => document !== null, 'expected the editor’s JSON').meta({
      description: 'JSON of the visual editor, stored unchanged and never returned',
      override: { not: { type: 'null' } },
    }),
    tags: fields.tags.default([]).describe('Replaces all tags'),
    onProjectCreation: fields.onProjectCreation.default('do-nothing'),
  })
  .meta({ id: 'TemplateFields' })
export type TemplateFields = z.input<typeof TemplateFields>

export const TemplateChanges = versionedChangesSchemaOf(TemplateFields).meta({ id: 'TemplateChanges' })
export type TemplateChanges = z.input<typeof TemplateChanges>

/** All of the template except the document. */
export const TemplateView = recordView({
  name: z.string().describe('Name of the template'),
  subject: z.string().describe('Subject of emails created from it'),
  previewText: z.string().optional().describe('What mailboxes show after the subject'),
  tags: z.array(z.string()).describe('Tags to find the template by'),
  onProjectCreation: fields.onProjectCreation,
  usedVariables: z
    .array(z.string())
    .describe('Merge tags of the document, such as contact.name or design.colors.primary'),
  usedComponents: z.array(z.string()).describe('Components of the document, such as mj-button'),
  warnings: MergeTagWarnings,
}).meta({ id: 'Template', description: 'A visual document to create emails from' })
export type TemplateView = z.output<typeof TemplateView>

/** For editors: responses of the API leave the document out. */
export const TemplateDocument = z.object({ document: z.unknown() })
export type TemplateDocument = z.output<typeof TemplateDocument>

export type Template = InProject & {
  readonly name: string
  readonly subject: string
  readonly previewText?: string
  readonly document: unknown
  readonly tags: readonly string[]
  readonly onProjectCreation: (typeof projectCreations)[number]
  readonly usedVariables: readonly string[]
  readonly usedComponents: readonly string[]
}

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ templates: Template }>
}

/** The document belongs to the editor and is never refused. */
const readable: InputRule<z.output<typeof TemplateChanges>> = ({ subject, previewText }) =>
  contentViolations({ subject, previewText, type: 'visual' })

/** Spec, "Templates". */
export const templateUseCases = ({ repositories: { templates }, clock, newId }: Deps) => {
  const resource = projectResource(templates, TemplateView)

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `not-found` */
    documentOf: async (scope: Scope, id: string): Promise<TemplateDocument> => ({
      document: (await resource.stored(scope, id)).document,
    }),

    /** @throws Refusal `invalid` */
    create: async ({ projectId, requestId }: Scope, input: TemplateFields): Promise<TemplateView> => {
      const { name, subject, previewText, document, tags, onProjectCreation } = await parsedBy(
        TemplateFields,
        input,
        readable,
      )
      const template: Template = {
        _id: requestId ?? newId(),
        projectId,
        name,
        subject,
        ...(previewText && { previewText }),
        document,
        tags,
        onProjectCreation,
        ...variablesAndComponentsIn(document),
        ...stamps(clock().toISOString()),
      }
      await templates.add(template)
      return withMergeTagWarnings(resource.show(template), template)
    },

    /** Merges the given fields; an empty previewText removes it. @throws Refusal `invalid`, `not-found`, `duplicate` */
    update: async (scope: Scope, id: string, input: TemplateChanges): Promise<TemplateView> => {
      const { basedOn, ...changes } = await parsedBy(TemplateChanges, input, readable)
      const given = { ...changes, ...(changes.document !== undefined && variablesAndComponentsIn(changes.document)) }
      const now = clock().toISOString()
      const changed = (current: Template): Template => {
        assertBasedOn(current, basedOn)
        return { ...mergeGivenFields(current, given), updatedAt: now }
      }
      const before = await resource.stored(scope, id)
      return withMergeTagWarnings(await resource.change(scope, id, changed), changed(before))
    },

    /** @throws Refusal `not-found` */
    remove: resource.remove,
  }
}
