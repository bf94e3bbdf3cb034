import type { Core } from '@posthorn/core'
import {
  CaptchaChallenge,
  Challenge,
  ChallengeQuery,
  SignedUp,
  SignupFormChanges,
  SignupFormFields,
  SignupFormView,
  SignupSubmission,
} from '@posthorn/core/ports/transport'
import { resourceRoutes } from '../resource-routes.js'
import { downloadSchemaOf } from '../response.js'
import { route } from '../route.js'

const projectOf = (core: Core, { id }: { readonly id: string }) => core.signupForms.projectOf(id)

export const signupFormRoutes = [
  ...resourceRoutes({
    noun: 'SignupForm',
    path: 'signup-forms',
    view: SignupFormView,
    fields: SignupFormFields,
    changes: SignupFormChanges,
    fails: { create: ['not-found'] },
    of: (core) => core.signupForms,
  }),
  route('get', '/v1/projectId/{projectId}/signup-forms/{id}/embed', {
    id: 'getSignupFormEmbed',
    summary: 'Get a signup form as HTML',
    success: [200, downloadSchemaOf('text/html')],
    run: (core, { scope, params }) => core.signupForms.embed(scope, params.id),
  }),
  route('post', '/v1/signup-forms/{id}', {
    id: 'submitSignupForm',
    auth: 'origin',
    browserAccess: 'subscribe-only',
    projectOf,
    body: SignupSubmission,
    alwaysThere: true,
    success: [201, SignedUp],
    fails: ['blocked'],
    weight: () => 5,
    run: (core, { scope, params, body }) => core.signupForms.submit(scope, params.id, body),
  }),
]

export const captchaRoutes = [
  route('get', '/v1/captcha', {
    id: 'getCaptcha',
    summary: 'Get a CAPTCHA',
    auth: 'none',
    success: [200, CaptchaChallenge],
    weight: () => 5,
    run: async (core) => core.captchas.challenge(),
  }),
  route('get', '/v1/challenge', {
    id: 'getChallenge',
    summary: 'Get a proof-of-work challenge',
    auth: 'none',
    query: ChallengeQuery,
    success: [200, Challenge],
    run: async (core, { query }) => core.proofOfWork.challenge(query.signupFormId),
  }),
]
