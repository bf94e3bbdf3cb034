import type { z } from 'zod'
import type { Captchas } from '../captcha/captchas.js'
import { collected, countRecords } from '../kernel/listing.js'
import { type InputRule, parsedBy, schemaViolationsOf } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { assertBasedOn, projectResource, updated } from '../kernel/project-resource.js'
import type { ReferenceGuard } from '../kernel/references.js'
import { notFound } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import { unexpectedViolation } from '../kernel/violation.js'
import { type Language, standardLanguage } from '../languages/languages.js'
import { subscriberStatuses } from '../lists/subscriber.js'
import {
  type DoubleOptIn,
  type DoubleOptInEmailRepository,
  doubleOptInRule,
  writeWithDoubleOptInEmail,
} from '../lists/subscriber-list.js'
import type { Project } from '../projects/project.js'
import { type EmbedSettings, embeddedFormHtml, type FormPage, formDonePage, formPage } from './embed.js'
import {
  captchaOf,
  changedTerms,
  type SignupForm,
  SignupFormChanges,
  SignupFormFields,
  SignupFormFigures,
  SignupFormShape,
  type SignupFormView,
  withChallengeSecretKey,
} from './signup-form.js'
import { SignupSubmission, type SignupSubmissionDeps, signupSubmission } from './submission.js'

type Deps = Omit<SignupSubmissionDeps, 'captchas'> &
  Pick<Runtime, 'clock' | 'newId'> & {
    readonly captchas: Pick<Captchas, 'assertSolved' | 'challenge'>
    readonly repositories: RepositoriesFor<{ projects: Project }> & {
      readonly transactionalEmails: DoubleOptInEmailRepository
    }
    readonly references: ReferenceGuard
    readonly settings: EmbedSettings
  }

/** `isFixed`: chosen, not taken from the browser. */
type PageLanguage = { readonly language: Language; readonly isFixed: boolean }

export type OpenedForm = FormPage & {
  readonly language: Language
  readonly project: { readonly name: string; readonly logoUrl?: string | undefined }
}

type NamedLists = Pick<z.output<typeof SignupFormChanges>, 'subscriberListIds'>

/** Spec, "Signup forms". */
export const signupFormUseCases = (deps: Deps) => {
  const { repositories, secrets, clock, newId, settings } = deps
  const { signupForms, subscriberLists, subscribers, transactionalEmails, projects } = repositories
  const resource = projectResource(signupForms, SignupFormShape)
  const directory = deps.contactDirectory
  const usingEmail = writeWithDoubleOptInEmail(transactionalEmails, deps.references)

  /** Only existing properties may be added. */
  const propertiesFit =
    (scope: Scope, id?: string): InputRule<z.output<typeof SignupFormChanges>> =>
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
        .map((name) => unexpectedViolation(`propertiesStyle.${name}`))
    }

  const rules = (scope: Scope, id?: string) =>
    [propertiesFit(scope, id), doubleOptInRule(scope.projectId, transactionalEmails)] as const

  const assertLists = async (
    projectId: string,
    { subscriberListIds = [] }: NamedLists,
    before?: SignupForm,
  ): Promise<void> => {
    const added = subscriberListIds.filter((id) => !before?.subscriberListIds.includes(id))
    const known = await collected(subscriberLists.each({ _id: added, projectId }))
    if (known.length < added.length) throw notFound('Subscriber list')
  }

  /** Of the form's double opt-in, otherwise of its lists'. */
  const emailWarnings = async (form: SignupForm): Promise<readonly string[]> => {
    const { projectId, doubleOptIn, subscriberListIds } = form
    const lists = doubleOptIn.active ? [] : await collected(subscriberLists.each({ _id: subscriberListIds, projectId }))
    const used = [
      ...(doubleOptIn.active ? [{ of: 'the form', emailId: doubleOptIn.emailId }] : []),
      ...lists
        .filter((list) => list.doubleOptIn.active)
        .map((list) => ({ of: `the list ${list.name}`, emailId: list.doubleOptIn.emailId })),
    ]
    const wanted = [...new Set(used.map(({ emailId }) => emailId))]
    const known = new Set((await collected(transactionalEmails.each({ _id: wanted, projectId }))).map(({ _id }) => _id))
    return used
      .filter(({ emailId }) => !known.has(emailId))
      .map(
        ({ of }) =>
          `The email of the double opt-in of ${of} was deleted: visitors get no confirmation. Choose another.`,
      )
  }

  const numbered = (doubleOptIn: DoubleOptIn): SignupForm['doubleOptIn'] => ({ _id: newId(), ...doubleOptIn })

  const listsOf = ({ projectId, subscriberListIds }: SignupForm) =>
    collected(subscriberLists.each({ _id: subscriberListIds, projectId }))

  const asksToConfirm = async (form: SignupForm): Promise<boolean> =>
    form.doubleOptIn.active || (await listsOf(form)).some((list) => list.doubleOptIn.active)

  return {
    list: resource.list,
    get: async (scope: Scope, id: string): Promise<SignupFormView> => {
      const form = await resource.stored(scope, id)
      const warnings = await emailWarnings(form)
      return { ...resource.show(form), ...(warnings.length > 0 && { warnings: [...warnings] }) }
    },
    remove: resource.remove,
    submit: signupSubmission(deps),

    projectOf: async (id: string): Promise<string | undefined> => (await signupForms.get({ _id: id }))?.projectId,

    violations: {
      create: (scope: Scope, input: unknown) => schemaViolationsOf(SignupFormFields, input, ...rules(scope)),
      update: (scope: Scope, id: string, input: unknown) =>
        schemaViolationsOf(SignupFormChanges, input, ...rules(scope, id)),
    },

    create: async (scope: Scope, input: SignupFormFields): Promise<SignupFormView> => {
      const { projectId, requestId } = scope
      const read = await parsedBy(SignupFormFields, input, ...rules(scope))
      const { challengeSecretKey = '', doubleOptIn, ...fields } = read
      await assertLists(projectId, fields)
      const form = {
        _id: requestId ?? newId(),
        projectId,
        ...fields,
        doubleOptIn: numbered(doubleOptIn),
        ...stamps(clock().toISOString()),
      }
      const sealed = withChallengeSecretKey(form, challengeSecretKey, secrets)
      await usingEmail(projectId, doubleOptIn, () => signupForms.add(sealed))
      return resource.show(sealed)
    },

    /** Objects are replaced whole, except the terms. @throws Refusal `invalid`, `not-found`, `duplicate` */
    update: async (scope: Scope, id: string, input: SignupFormChanges): Promise<SignupFormView> => {
      const read = await parsedBy(SignupFormChanges, input, ...rules(scope, id))
      const { basedOn, challengeSecretKey, doubleOptIn, termsAndConditions, ...fields } = read
      await assertLists(scope.projectId, fields, await resource.stored(scope, id))
      const now = clock().toISOString()
      const given = { ...fields, ...(doubleOptIn && { doubleOptIn: numbered(doubleOptIn) }) }
      const changed = (form: SignupForm): SignupForm => {
        assertBasedOn(form, basedOn)
        const changes = { ...given, termsAndConditions: changedTerms(form.termsAndConditions, termsAndConditions) }
        return challengeSecretKey === undefined
          ? updated(form, changes, now)
          : updated(
              withChallengeSecretKey(form, challengeSecretKey ?? '', secrets),
              { ...changes, updatedAt: now },
              now,
            )
      }
      return usingEmail(scope.projectId, doubleOptIn, () => resource.change(scope, id, changed))
    },

    /** Counts people whose latest signup was by this form, by their status. @throws Refusal `not-found` */
    figures: async (scope: Scope, id: string): Promise<SignupFormFigures> => {
      const { _id: signupFormId, projectId } = await resource.stored(scope, id)
      const counts = subscriberStatuses.map(
        async (status) => [status, await countRecords(subscribers, { signupFormId, projectId, status })] as const,
      )
      return SignupFormFigures.parse(Object.fromEntries(await Promise.all(counts)))
    },

    /**
     * The form on a page of this server. `base` is the path below which this server is reached; `email` fills the field of the address.
     * @throws Refusal `not-found`, also if pages may not subscribe in the project
     */
    page: async (
      id: string,
      { base, email }: { readonly base: string; readonly email?: string | undefined },
      languageFor: (projectLanguage: Language) => Pick<PageLanguage, 'language' | 'isFixed'>,
    ): Promise<OpenedForm> => {
      const form = await getOrNotFound(signupForms, { _id: id })
      const project = await projects.get({ _id: form.projectId })
      if (!project || project.browserAccess === 'none') throw notFound('Signup form')
      const { language, isFixed } = languageFor(project.language ?? standardLanguage)
      const fields = await directory.fieldsOf(form.projectId)
      return {
        ...formPage(form, fields, {
          ...{ ...settings, base, language, isFixed, asksToConfirm: await asksToConfirm(form) },
          ...(email !== undefined && { email }),
        }),
        language,
        project: { name: project.name, logoUrl: project.logoUrl },
      }
    },

    /** What visitors see, in a language; nothing in it runs. @throws Refusal `not-found` */
    preview: async (scope: Scope, id: string, language: Language) => {
      const form = await resource.stored(scope, id)
      const project = await getOrNotFound(projects, { _id: scope.projectId })
      const fields = await directory.fieldsOf(scope.projectId)
      const lists = await listsOf(form)
      const shown = { language, asksToConfirm: await asksToConfirm(form) }
      const sample = captchaOf(form) === 'svg' ? { sample: deps.captchas.challenge().data } : {}
      const confirming = form.doubleOptIn.active ? form : (lists.find((list) => list.doubleOptIn.active) ?? form)
      const { redirectLink, confirmationTitle: title, confirmationMessage: message } = confirming.doubleOptIn
      return {
        project: { name: project.name, logoUrl: project.logoUrl },
        form: formPage(form, fields, { ...settings, ...shown, base: '', isFixed: true, isPreview: true, ...sample }),
        done: formDonePage(form, shown),
        confirmation: { listNames: lists.map(({ name }) => name), redirects: redirectLink !== '', title, message },
      }
    },

    /** @throws Refusal `not-found` */
    embed: async (scope: Scope, id: string): Promise<{ filename: string; content: string }> => {
      const form = await resource.stored(scope, id)
      const project = await projects.get({ _id: scope.projectId })
      const spoken = {
        ...{ ...settings, asksToConfirm: await asksToConfirm(form) },
        ...(project?.language && { language: project.language }),
      }
      const content = embeddedFormHtml(form, await directory.fieldsOf(scope.projectId), spoken, secrets)
      return { filename: `signup-form-${form._id}.html`, content }
    },
  }
}
