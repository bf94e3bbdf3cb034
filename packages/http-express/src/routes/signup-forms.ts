import type { Core } from '@posthorn/core'
import {
  SignedUp,
  SignupFormChanges,
  SignupFormFields,
  SignupFormView,
  SignupSubmission,
} from '@posthorn/core/ports/transport'
import { download } from '../download.js'
import { everyVerb, resourceRoutes } from '../resource-routes.js'
import { route } from '../route.js'

const projectOf = (core: Core, { id }: { readonly id: string }) => core.signupForms.projectOf(id)

export const signupFormRoutes = [
  ...resourceRoutes({
    noun: 'SignupForm',
    plural: 'SignupForms',
    called: 'signup form',
    path: 'signup-forms',
    view: SignupFormView,
    fields: SignupFormFields,
    changes: SignupFormChanges,
    fails: { create: ['not-found'] },
    verbs: everyVerb,
    of: (core) => core.signupForms,
  }),
  route({
    id: 'getSignupFormEmbed',
    summary: 'Get a signup form as HTML',
    method: 'get',
    path: '/v1/projectId/{projectId}/signup-forms/{id}/embed',
    auth: 'api-key',
    success: [200, download('text/html')],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.signupForms.embed(scope, params.id),
  }),
  route({
    id: 'submitSignupForm',
    summary: 'Submit a signup form',
    method: 'post',
    path: '/v1/signup-forms/{id}',
    auth: 'origin',
    browserAccess: 'subscribe-only',
    projectOf,
    body: SignupSubmission,
    success: [201, SignedUp],
    fails: ['invalid', 'forbidden', 'blocked'],
    weight: () => 5,
    run: (core, { scope, params, body }) => core.signupForms.submit(scope, params.id, body),
  }),
]
