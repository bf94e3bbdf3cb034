import type { z } from 'zod'
import type { StoredEmail } from '../emails/email-content.js'
import { collected } from '../kernel/listing.js'
import { parsedBy, type Rule, violationsBy } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import { notFound } from '../kernel/refusal.js'
import type { Lookup, RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import { unexpected } from '../kernel/violation.js'
import type { Project } from '../projects/project.js'
import { assertDoubleOptInEmail, type DoubleOptIn, doubleOptInFits } from '../subscribers/double-opt-in.js'
import { type EmbedSettings, embed } from './embed.js'
import {
  changedTerms,
  type SignupForm,
  SignupFormChanges,
  SignupFormFields,
  SignupFormView,
  withSecretKey,
} from './signup-form.js'
import { SignupSubmission, type SubmitDeps, signupSubmission } from './submit.js'

type Deps = SubmitDeps & {
  readonly repositories: RepositoriesFor<{ projects: Project }> & {
    readonly transactionalEmails: Lookup<StoredEmail>
  }
  readonly clock: Clock
  readonly newId: NewId
  readonly settings: EmbedSettings
}

/** What a form names that is a record of its own. */
type References = Pick<z.output<typeof SignupFormChanges>, 'subscriberListIds' | 'doubleOptIn'>

/** Spec, "Signup forms". */
export const signupFormUseCases = (deps: Deps) => {
  const { repositories, secrets, clock, newId, settings } = deps
  const { signupForms, subscriberLists, transactionalEmails, projects } = repositories
  const resource = projectResource(signupForms, SignupFormView)
  const directory = deps.contactDirectory

  /** That a form newly asks for properties that contacts have. What it asked for before may be gone since, and stays. */
  const propertiesFit =
    (scope: Scope, id?: string): Rule<z.output<typeof SignupFormChanges>> =>
    async ({ propertiesStyle = {} }) => {
      const custom = (await directory.fieldsOf(scope.projectId)).map(({ name }) => name)
      const before = id === undefined ? undefined : await signupForms.get(resource.whereIs(scope, id))
      const known = new Set([
        'name',
        ...custom.filter((name) => !Object.hasOwn(SignupSubmission.shape, name)),
        ...Object.keys(before?.propertiesStyle ?? {}),
      ])
      return Object.keys(propertiesStyle)
        .filter((name) => !known.has(name))
        .map((name) => unexpected(`propertiesStyle.${name}`))
    }

  const rules = (scope: Scope, id?: string) =>
    [propertiesFit(scope, id), doubleOptInFits(scope.projectId, transactionalEmails)] as const

  /** That what a form newly names is the project's. What it named before may be gone since, and stays. @throws Refusal `not-found` */
  const assertReferences = async (
    projectId: string,
    { subscriberListIds = [], doubleOptIn }: References,
    before?: SignupForm,
  ): Promise<void> => {
    const added = subscriberListIds.filter((id) => !before?.subscriberListIds.includes(id))
    const known = await collected(subscriberLists.each({ _id: added, projectId }))
    if (known.length < added.length) throw notFound('Subscriber list')
    if (doubleOptIn) await assertDoubleOptInEmail(projectId, doubleOptIn, transactionalEmails)
  }

  const numbered = (doubleOptIn: DoubleOptIn): SignupForm['doubleOptIn'] => ({ _id: newId(), ...doubleOptIn })

  return {
    list: resource.list,
    get: resource.get,
    remove: resource.remove,
    submit: signupSubmission(deps),

    /** The project of a form, for the URL shape that does not name one. */
    projectOf: async (id: string): Promise<string | undefined> => (await signupForms.get({ _id: id }))?.projectId,

    /** All that is wrong with an input, before anything is done with it. */
    violations: {
      create: (scope: Scope, input: unknown) => violationsBy(SignupFormFields, input, ...rules(scope)),
      update: (scope: Scope, id: string, input: unknown) => violationsBy(SignupFormChanges, input, ...rules(scope, id)),
    },

    /** @throws Refusal `invalid`, `not-found` for a list or the double opt-in's email */
    create: async (scope: Scope, input: SignupFormFields): Promise<SignupFormView> => {
      const { projectId, requestId } = scope
      const read = await parsedBy(SignupFormFields, input, ...rules(scope))
      const { challengeSecretKey = '', doubleOptIn, ...fields } = read
      await assertReferences(projectId, { ...fields, doubleOptIn })
      const now = clock().toISOString()
      const form = {
        _id: requestId ?? newId(),
        projectId,
        ...fields,
        doubleOptIn: numbered(doubleOptIn),
        ...stamps(now),
      }
      const sealed = withSecretKey(form, challengeSecretKey, secrets)
      await signupForms.add(sealed)
      return resource.show(sealed)
    },

    /** Merges the given fields; of the objects in them, all but the terms are replaced whole. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: SignupFormChanges): Promise<SignupFormView> => {
      const read = await parsedBy(SignupFormChanges, input, ...rules(scope, id))
      const { challengeSecretKey, doubleOptIn, termsAndConditions, ...fields } = read
      await assertReferences(scope.projectId, { ...fields, doubleOptIn }, await resource.stored(scope, id))
      const now = clock().toISOString()
      const given = { ...fields, ...(doubleOptIn && { doubleOptIn: numbered(doubleOptIn) }) }
      return resource.change(scope, id, (form) => {
        const changes = { ...given, termsAndConditions: changedTerms(form.termsAndConditions, termsAndConditions) }
        return challengeSecretKey === undefined
          ? updated(form, changes, now)
          : updated(withSecretKey(form, challengeSecretKey ?? '', secrets), { ...changes, updatedAt: now }, now)
      })
    },

    /** The form as one HTML file, for a page of a whitelisted Origin. @throws Refusal `not-found` */
    embed: async (scope: Scope, id: string): Promise<{ filename: string; content: string }> => {
      const form = await resource.stored(scope, id)
      const project = await projects.get({ _id: scope.projectId })
      const spoken = { ...settings, ...(project?.language && { language: project.language }) }
      const content = embed(form, await directory.fieldsOf(scope.projectId), spoken, secrets)
      return { filename: `signup-form-${form._id}.html`, content }
    },
  }
}
