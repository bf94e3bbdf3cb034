import { ada, type Examples, grace, ids, sampleToken } from './example.js'

export const audienceExamples: Examples = {
  createContact: {
    description: 'Values of the project’s own fields stand beside the others. Tags that are new are made.',
    body: { email: ada, name: 'Ada Lovelace', tags: ['vip'], favouriteColour: 'green' },
  },
  listContacts: {
    description:
      'Takes `filter[<name>]` for each of the project’s own fields, too. `filter[segment]` is a segment as JSON, for those who do not want to store one.',
    query: { limit: 10, 'filter[tags]': 'vip' },
  },
  getContact: { description: 'Found in any spelling of upper and lower case.', params: { email: ada } },
  updateContact: {
    description:
      'Only the given fields change; `tags` are replaced whole, and null clears a field of the project’s own.',
    params: { email: ada },
    body: { name: 'Ada King', tags: ['vip', 'founder'] },
  },
  deleteContact: { description: 'Leaves every list, too. Answers what it was.', params: { email: grace } },
  createCustomField: {
    description:
      'Its API name, by which contacts have its values, is made of the name: `Favourite colour` becomes `favouriteColour`.',
    body: { name: 'Favourite colour', type: 'string' },
  },
  listCustomFields: { description: 'All of them, in one answer.' },
  deleteCustomField: {
    description: 'By its API name. Its values go with it; a condition that asks for it is then fulfilled by nobody.',
    params: { name: 'favouriteColour' },
  },
  createContactTag: {
    description: 'Kept in lower case, and unique.',
    body: { value: 'newcomer' },
    makes: ids.tag,
  },
  listContactTags: { description: 'All tags of the project, the newest first.', query: { limit: 30 } },
  getContactTag: { description: 'Its value and when it was made.', params: { id: ids.tag } },
  updateContactTag: {
    description: 'Renames it for every contact that has it.',
    params: { id: ids.tag },
    body: { value: 'new' },
  },
  deleteContactTag: { description: 'Takes it from every contact that has it.', params: { id: ids.tag } },
  createSubscriberList: {
    description: 'A private list is shown to nobody but those who are on it.',
    body: { name: 'Newsletter', description: 'What is new, once a month.' },
    makes: ids.list,
  },
  listSubscriberLists: { description: 'The newest first, in pages.', query: { limit: 10 } },
  getSubscriberList: { description: 'With its double opt-in and the look of its form.', params: { id: ids.list } },
  updateSubscriberList: {
    description:
      'Only the given fields change; `doubleOptIn` and `signupForm` are replaced whole. With a double opt-in, who subscribes is asked to confirm, by a transactional email that has `{{verifyLink}}`.',
    params: { id: ids.list },
    body: { doubleOptIn: { active: true, emailId: ids.transactional } },
  },
  deleteSubscriberList: {
    description: 'Its memberships go with it; contacts stay. Not while a campaign or a triggered email uses it.',
    params: { id: ids.list },
  },
  getSubscriberListStats: { description: 'Counted now.', params: { id: ids.list } },
  listPublicLists: {
    description: 'What a page of preferences shows to one person.',
    params: { email: ada },
  },
  subscribe: {
    description:
      'Who subscribes to a list with a double opt-in is unverified until they follow the link in their mail; `status: active` skips that, for those who agreed elsewhere.',
    params: { id: ids.list },
    body: { email: ada, name: 'Ada Lovelace', status: 'active' },
  },
  listSubscribers: {
    description: 'In pages; a pause that is over counts as active.',
    params: { id: ids.list },
    query: { limit: 10, 'filter[status]': 'active' },
  },
  getSubscriber: { description: 'With the contact’s own fields.', params: { id: ids.list, email: ada } },
  updateSubscriber: {
    description: 'A pause ends by itself at `pausedUntil`. Fields of the contact may be changed in the same request.',
    params: { id: ids.list, email: ada },
    body: { status: 'paused', pausedUntil: '2035-01-31T00:00:00Z' },
  },
  resendVerificationEmail: {
    description:
      'For somebody who is unverified. One mail in ten minutes and five a day go to an address; beyond that the answer is the same.',
    params: { subscriberListId: ids.list, email: grace },
  },
  subscribeToList: {
    description:
      'The older path of `subscribe`. Pages of a whitelisted Origin give the solution of a CAPTCHA, too, unless the list does without.',
    params: { id: ids.list },
    body: { email: grace, name: 'Grace Hopper' },
  },
  listSubscribersOfList: {
    description: 'The older path of `listSubscribers`, which tokens of operators open, too.',
    params: { id: ids.list },
    query: { limit: 10 },
  },
  getSubscriberOfList: { description: 'The older path of `getSubscriber`.', params: { id: ids.list, email: grace } },
  updateSubscriberOfList: {
    description: 'The older path of `updateSubscriber`.',
    params: { id: ids.list, email: grace },
    body: { name: 'Rear Admiral Hopper' },
  },
  unsubscribe: {
    description:
      'What a mail program posts when its reader presses “Unsubscribe”. The token is that of the mail’s `List-Unsubscribe` field; repeating it does no harm.',
    params: { id: ids.list, email: ada },
    query: { token: sampleToken },
  },
  createSegment: {
    description:
      'Groups are OR-ed, the conditions of a group AND-ed. A segment is looked up when it is used: nobody is kept in it.',
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
    makes: ids.segment,
  },
  listSegments: { description: 'The newest first, in pages.', query: { limit: 10 } },
  getSegment: { description: 'With its conditions.', params: { id: ids.segment } },
  updateSegment: {
    description: 'Only the given fields change; `groups` are replaced whole.',
    params: { id: ids.segment },
    body: { name: 'Readers of late' },
  },
  deleteSegment: { description: 'Not while a campaign that waits uses it.', params: { id: ids.segment } },
  createSignupForm: {
    description:
      'For a page of a whitelisted Origin. `captchaType: challenge` without keys of a provider is a proof of work, which the visitor’s browser does by itself.',
    body: { name: 'On the front page', subscriberListIds: [ids.list], captchaType: 'none' },
    makes: ids.form,
  },
  listSignupForms: { description: 'The newest first, in pages.', query: { limit: 10 } },
  getSignupForm: { description: 'With all of its look.', params: { id: ids.form } },
  updateSignupForm: {
    description: 'Only the given fields change.',
    params: { id: ids.form },
    body: { btnLabel: 'Count me in', btnColor: '#1f5fa8' },
  },
  deleteSignupForm: { description: 'Who came by it stays subscribed.', params: { id: ids.form } },
  getSignupFormEmbed: {
    description: 'Put it on a page of a whitelisted Origin; it needs no other file.',
    params: { id: ids.form },
  },
  submitSignupForm: {
    description:
      'What the embedded form sends. The answer is the same for every address, so that nobody learns who is subscribed.',
    params: { id: ids.form },
    headers: { Origin: 'https://shop.example.com' },
    body: { email: 'alan@example.com', name: 'Alan Turing' },
  },
  getCaptcha: {
    description: 'A drawing and its probe: both, with the text, go into the form. Good for five minutes, and once.',
  },
  getChallenge: {
    description:
      'What a visitor’s browser solves before it submits the form. Good for ten minutes, that form, and once.',
    query: { signupFormId: ids.form },
  },
  createSuppression: {
    description: 'Unique whatever the case. Bounces and complaints are added by themselves.',
    body: { email: 'no-more@example.com', reason: 'Asked by telephone' },
    makes: ids.suppression,
  },
  listSuppressions: {
    description: '`limit=unlimited` streams the whole list, the oldest first.',
    query: { limit: 10, 'filter[email]': 'no-more@example.com' },
  },
  deleteSuppression: { description: 'The address may get mail again.', params: { id: ids.suppression } },
}
