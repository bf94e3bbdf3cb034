import { type Examples, exampleIds, exampleUnsubscribeToken, sampleAdaAddress, sampleGraceAddress } from './example.js'

export const audienceRouteExamples: Examples = {
  createContact: {
    description: 'Custom fields are given beside the standard ones. New tags are created.',
    body: { email: sampleAdaAddress, name: 'Ada Lovelace', tags: ['vip'], favouriteColour: 'green' },
  },
  listContacts: {
    description:
      'Custom fields can be filtered too: `filter[<name>]`. `filter[segment]` takes the conditions of a segment as JSON, without storing the segment.',
    query: { limit: 10, 'filter[tags]': 'vip' },
  },
  getContact: {
    description: 'The address is found regardless of upper and lower case.',
    params: { email: sampleAdaAddress },
  },
  updateContact: {
    description: 'Only the given fields change. `tags` replaces all tags; null clears a custom field.',
    params: { email: sampleAdaAddress },
    body: { name: 'Ada King', tags: ['vip', 'founder'] },
  },
  deleteContact: {
    description: 'Also removes the contact from every list. Returns the deleted contact.',
    params: { email: sampleGraceAddress },
  },
  listSubscriptions: {
    description:
      'Every list that the contact is on or has left, the newest first: the status, since when, and the signup form or the import by which they joined, with what was said about their consent. After them come those that a bounce or complaint ended.',
    params: { email: sampleAdaAddress },
    query: { limit: 10 },
  },
  bulkContacts: {
    description:
      'Up to 5,000 rows with the fields of a contact, as JSON or as NDJSON: one row per line, with `Content-Type: application/x-ndjson`. Good rows are stored even if others fail; `results` has one entry per row, in order. 250 rows count as one request in the rate. With an `Idempotency-Key`, a repetition after a crash finishes the rows and gives the same results.',
    body: {
      contacts: [
        { email: 'alan@example.com', name: 'Alan Turing', tags: ['vip'], favouriteColour: 'blue' },
        { email: 'mary@example.com', name: 'Mary Somerville' },
      ],
    },
  },
  exportContacts: {
    description:
      'Streams a CSV or NDJSON file, newest first, with the filters of the list and `find`, the beginning of the address. Cells of a CSV file that a spreadsheet would run as formulas begin with an apostrophe, which an import removes.',
    query: { format: 'csv', 'filter[tags]': 'vip' },
  },
  uploadImport: {
    description:
      'A multipart form with the file in the part `file`: CSV with a header, or NDJSON with one object per line. The file is stored while it arrives; preview its columns, then start the import.',
    file: { name: 'contacts.csv', type: 'text/csv' },
    body: {},
    makes: exampleIds.import,
  },
  listImports: { description: 'Newest first.', query: { limit: 10 } },
  getImport: { description: 'Includes its progress and how many rows failed.', params: { id: exampleIds.import } },
  previewImport: {
    description:
      'Returns the columns of an uploaded file, the fields that they match and the first rows. The columns of NDJSON are the keys of its first 1,000 rows.',
    params: { id: exampleIds.import },
  },
  startImport: {
    description:
      'Maps each column to a field and starts the job, which continues after a restart of the server. `consent` says how these people agreed to get mail.',
    params: { id: exampleIds.import },
    body: {
      columns: [{ field: 'email' }, { field: 'name' }],
      subscriberListId: exampleIds.list,
      consent: 'Signed up at the fair in May',
    },
  },
  listFailedImportRows: {
    description:
      'The first 20 failed rows: line, reason, and the cells for the headings of the file. Kept for 30 days.',
    params: { id: exampleIds.import },
  },
  exportImportErrors: {
    description:
      'CSV with the line and the reason of each failed row, then its cells under the headings of the file, guarded like those of exports: mend the rows and import the file again, without the first two columns. Kept for 30 days.',
    params: { id: exampleIds.import },
  },
  cancelImport: {
    description: 'Stops the job, or deletes an uploaded file. Imported rows stay.',
    params: { id: exampleIds.import },
  },
  createCustomField: {
    description:
      'The API name is derived from the name: `Favourite colour` becomes `favouriteColour`. Contacts have the value under the API name.',
    body: { name: 'Favourite colour', type: 'string' },
  },
  listCustomFields: { description: 'Returns all custom fields at once.' },
  deleteCustomField: {
    description:
      'Deletes the field with that API name and its values. Segment conditions on the field then match no contact.',
    params: { name: 'favouriteColour' },
  },
  createContactTag: {
    description: 'Tags are stored in lower case and are unique.',
    body: { value: 'newcomer' },
    makes: exampleIds.tag,
  },
  listContactTags: { description: 'Newest first.', query: { limit: 30 } },
  getContactTag: { description: 'Returns its value and when it was created.', params: { id: exampleIds.tag } },
  updateContactTag: {
    description: 'Renames the tag on every contact that has it.',
    params: { id: exampleIds.tag },
    body: { value: 'new' },
  },
  deleteContactTag: { description: 'Removes the tag from every contact that has it.', params: { id: exampleIds.tag } },
  createSubscriberList: {
    description: 'Only the subscribers of a private list can see it.',
    body: { name: 'Newsletter', description: 'What is new, once a month.' },
    makes: exampleIds.list,
  },
  listSubscriberLists: { description: 'Newest first.', query: { limit: 10 } },
  getSubscriberList: {
    description: 'Includes its double opt-in and the design of its form.',
    params: { id: exampleIds.list },
  },
  updateSubscriberList: {
    description:
      'Only the given fields change; `doubleOptIn` and `signupForm` are replaced as a whole. With a double opt-in, new subscribers get a transactional email with `{{verifyLink}}` and must confirm.',
    params: { id: exampleIds.list },
    body: { doubleOptIn: { active: true, emailId: exampleIds.transactional } },
  },
  deleteSubscriberList: {
    description:
      'Deletes its memberships and keeps the contacts. Refused while a campaign or a triggered email uses the list.',
    params: { id: exampleIds.list },
  },
  getSubscriberListStats: { description: 'The numbers are current.', params: { id: exampleIds.list } },
  listPublicLists: {
    description:
      'Returns the public lists, and the private lists that the address is on, with its status on each. Use it to build your own preferences page.',
    params: { email: sampleAdaAddress },
  },
  subscribe: {
    description:
      'Creates the contact if there is none. On a list with a double opt-in, subscribers are `unverified` until they follow the link in their mail. `status: active` skips that for people who have agreed elsewhere.',
    params: { id: exampleIds.list },
    body: { email: sampleAdaAddress, name: 'Ada Lovelace', status: 'active' },
  },
  bulkSubscribe: {
    description:
      'Up to 5,000 rows with the fields of a single subscription, as JSON or NDJSON like `bulkContacts`, and by the same rules: contacts are created, the list’s double opt-in is applied, and people who unsubscribed are subscribed again. Subscribers who are on the list already keep their status.',
    params: { id: exampleIds.list },
    body: {
      subscribers: [
        { email: 'alan@example.com', status: 'active' },
        { email: 'mary@example.com', name: 'Mary Somerville', status: 'active' },
      ],
    },
  },
  listSubscribers: {
    description: 'A subscriber whose pause has ended counts as active.',
    params: { id: exampleIds.list },
    query: { limit: 10, 'filter[status]': 'active' },
  },
  getSubscriber: {
    description: 'Includes the fields of the contact.',
    params: { id: exampleIds.list, email: sampleAdaAddress },
  },
  updateSubscriber: {
    description:
      'Activates, pauses or unsubscribes. A pause ends by itself at `pausedUntil`. The same request may change fields of the contact.',
    params: { id: exampleIds.list, email: sampleAdaAddress },
    body: { status: 'paused', pausedUntil: '2035-01-31T00:00:00Z' },
  },
  resendVerificationEmail: {
    description:
      'For unverified subscribers. An address gets at most one mail in ten minutes and five in a UTC day; further requests send nothing and get 405.',
    params: { subscriberListId: exampleIds.list, email: sampleGraceAddress },
  },
  subscribeToList: {
    description:
      'The legacy path of `subscribe`. Pages of a whitelisted Origin must send the solution of a CAPTCHA, unless the list requires none.',
    params: { id: exampleIds.list },
    body: { email: sampleGraceAddress, name: 'Grace Hopper' },
  },
  listSubscribersOfList: {
    description: 'The legacy path of `listSubscribers`. It also accepts tokens of operators.',
    params: { id: exampleIds.list },
    query: { limit: 10 },
  },
  getSubscriberOfList: {
    description: 'The legacy path of `getSubscriber`.',
    params: { id: exampleIds.list, email: sampleGraceAddress },
  },
  updateSubscriberOfList: {
    description: 'The legacy path of `updateSubscriber`.',
    params: { id: exampleIds.list, email: sampleGraceAddress },
    body: { name: 'Rear Admiral Hopper' },
  },
  unsubscribe: {
    description:
      'Mail programs post this when their user presses “Unsubscribe” (RFC 8058). The token is the one in the mail’s `List-Unsubscribe` header. Repeating the request is harmless.',
    params: { id: exampleIds.list, email: sampleAdaAddress },
    query: { token: exampleUnsubscribeToken },
  },
  createSegment: {
    description:
      'Groups are combined by OR, the conditions of a group by AND. A segment is evaluated each time it is used; it stores no contacts.',
    body: {
      name: 'Recent readers',
      groups: [
        {
          conditions: [
            { property: 'createdAt', operator: 'date-in-last', value: 30 },
            { category: 'engagement', operator: 'opened', value: 30 },
          ],
        },
        { conditions: [{ operator: 'has-tag', value: 'vip' }] },
      ],
    },
    makes: exampleIds.segment,
  },
  listSegments: { description: 'Newest first.', query: { limit: 10 } },
  getSegment: { description: 'Includes its conditions.', params: { id: exampleIds.segment } },
  updateSegment: {
    description: 'Only the given fields change; `groups` replaces all groups.',
    params: { id: exampleIds.segment },
    body: { name: 'Readers of late' },
  },
  deleteSegment: { description: 'Refused while a scheduled campaign uses it.', params: { id: exampleIds.segment } },
  createSignupForm: {
    description:
      'For pages of a whitelisted Origin. `captchaType: challenge` without keys of a provider is a proof of work, which the visitor’s browser solves by itself.',
    body: { name: 'On the front page', subscriberListIds: [exampleIds.list], captchaType: 'none' },
    makes: exampleIds.form,
  },
  listSignupForms: { description: 'Newest first.', query: { limit: 10 } },
  getSignupForm: { description: 'Includes its design.', params: { id: exampleIds.form } },
  updateSignupForm: {
    description: 'Only the given fields change.',
    params: { id: exampleIds.form },
    body: { btnLabel: 'Count me in', btnColor: '#1f5fa8' },
  },
  deleteSignupForm: {
    description: 'People who subscribed through the form stay subscribed.',
    params: { id: exampleIds.form },
  },
  getSignupFormEmbed: {
    description: 'Returns one HTML file that needs no other files. Put it on a page of a whitelisted Origin.',
    params: { id: exampleIds.form },
  },
  submitSignupForm: {
    description:
      'The embedded form sends this. The response is the same for every address, so that it does not reveal who is subscribed.',
    params: { id: exampleIds.form },
    headers: { Origin: 'https://shop.example.com' },
    body: { email: 'alan@example.com', name: 'Alan Turing' },
  },
  getCaptcha: {
    description:
      'Returns an image and a probe. Submit the probe together with the text of the image. Valid once, for five minutes.',
  },
  getChallenge: {
    description:
      'The visitor’s browser solves it before it submits the form. Valid once, for ten minutes and for this form.',
    query: { signupFormId: exampleIds.form },
  },
  createSuppression: {
    description:
      'Addresses are unique regardless of upper and lower case. Bounces and complaints are added automatically.',
    body: { email: 'no-more@example.com', reason: 'Asked by telephone' },
    makes: exampleIds.suppression,
  },
  listSuppressions: {
    description: '`limit=unlimited` streams the whole list, oldest first.',
    query: { limit: 10, 'filter[email]': 'no-more@example.com' },
  },
  deleteSuppression: { description: 'The address may get mail again.', params: { id: exampleIds.suppression } },
}
