import type { Core, Log } from '@posthorn/core'
import express, { type Router } from 'express'
import { sendPage } from '../page.js'
import { problemPage } from '../problem-page.js'
import { readerOf } from '../reader.js'
import { reportPage } from './report-page.js'

/** Serves reports at signed links. They trust only the token in the link. */
export const reportPages = (core: Core, log: Log): Router => {
  const router = express.Router()
  router.get('/report', async (request, response) => {
    const opened = await core.campaignReports.opened(request.query.token)
    const reader = await readerOf(core, request)
    sendPage(response, reportPage(opened, reader), reader)
  })
  router.use(problemPage(core, log))
  return router
}
