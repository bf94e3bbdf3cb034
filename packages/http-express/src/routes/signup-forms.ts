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
import { everyVerb, resourceRoutes } from '../resource-routes.js'
import { download } from '../response.js'
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

export const captchaRoutes = [
  route({
    id: 'getCaptcha',
    summary: 'Get a CAPTCHA',
    method: 'get',
    path: '/v1/captcha',
    auth: 'none',
    success: [200, CaptchaChallenge],
    fails: [],
    weight: () => 5,
    run: async (core) => core.captchas.challenge(),
  }),
  route({
    id: 'getChallenge',
    summary: 'Get a proof-of-work challenge',
    method: 'get',
    path: '/v1/challenge',
    auth: 'none',
    query: ChallengeQuery,
    success: [200, Challenge],
    fails: ['invalid'],
    run: async (core, { query }) => core.proofOfWork.challenge(query.signupFormId),
  }),
]
