const program = 'a program does this, with the data of one event'
const visitor = 'for visitors of a project’s own pages'
const older = 'an older path of what is offered'
const search = 'the search for mails has these, with their reasons'
const rows = 'an import does this with a file'

/** Rows of the API that people of the console do not need, and why. */
export const notOffered: Readonly<Record<string, string>> = {
  ...{ sendMail: program, cancelSend: program, sendBatch: program, getApiKey: program },
  ...{ getSendStats: program, listSendRecipients: search, listEmailErrorLogs: search },
  ...{ listTriggeredEmailRecipients: search, listTransactionalEmailRecipients: search },
  ...{ bulkContacts: rows, bulkSubscribe: rows },
  ...{ getContactTag: 'the list of tags has it', getSubscriberList: 'the list of lists has it' },
  ...{ listSubscribers: 'contacts are filtered by list', getSubscriber: 'the contact’s page has it' },
  deleteSuppression: 'lifting one takes a reason, by a row of the console',
  ...{ listPublicLists: visitor, submitSignupForm: visitor, getCaptcha: visitor, getChallenge: visitor },
  ...{ sendTransactionalByEmail: older, sendTriggeredByEmail: older },
  ...{ listContactsLegacy: older, createContactLegacy: older, getContactLegacy: older },
  ...{ updateContactLegacy: older, deleteContactLegacy: older },
  ...{ listSubscribersOfList: older, subscribeToList: older, getSubscriberOfList: older },
  ...{ updateSubscriberOfList: older, unsubscribe: older },
  ...{ getWebhook: older, setWebhook: older, deleteWebhook: older, testWebhook: older, enableWebhook: older },
  ...{ listWebhookLog: older, getWebhookLogEntry: older, replayWebhookEvents: older },
}
