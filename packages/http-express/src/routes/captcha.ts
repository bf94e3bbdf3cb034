import { Captcha } from '@posthorn/core'
import { route } from '../route.js'

export const captchaRoutes = [
  route({
    id: 'getCaptcha',
    summary: 'A CAPTCHA to solve, for subscriptions from a browser',
    method: 'get',
    path: '/v1/captcha',
    auth: 'none',
    success: [200, Captcha],
    fails: [],
    run: async (core) => core.captchas.challenge(),
  }),
]
