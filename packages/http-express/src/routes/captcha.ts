import { Captcha, Challenge, ChallengeQuery } from '@posthorn/core/ports/transport'
import { route } from '../route.js'

export const captchaRoutes = [
  route({
    id: 'getCaptcha',
    summary: 'Get a CAPTCHA',
    method: 'get',
    path: '/v1/captcha',
    auth: 'none',
    success: [200, Captcha],
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
