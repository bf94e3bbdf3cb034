import type { Page } from 'playwright-core'
import { password } from '../../../http-express/test/console/browser.js'
import { en } from '../../src/text/en.js'
import { emptyLists, eventfulMail, manyCampaigns, noAnswer, providerSignIn, ranCampaign } from './staged.js'
import { manyKeys, repeatedRequests, troubledWebhook } from './staged-developers.js'
import { emptyVisualDraft, socialVisualDraft, strangeVisualDraft, visualDraft } from './staged-editor.js'
import { formWithWidget, savedViews } from './staged-forms.js'
import { askedLimits, busyHome, haltedHome, longSearch, manyMails, pendingAccess } from './staged-home.js'
import { busyServer, operatedProjects, projectOfOthers, reviewsThatWait, viewedProject } from './staged-operator.js'
import { busySending, domainThatIs, refusingProvider, restrictedSending } from './staged-sending.js'
import { ownAccount, refusingAccount, settledProject } from './staged-settings.js'
import { busyEmails } from './staged-templates.js'
import type { Console } from './world.js'

/** The words of the language that the page is in. */
export type Words = typeof en

export type Screen = {
  readonly name: string
  /** Below `/console`; `{draft}` is an id of the world. */
  readonly path: string
  readonly as?: 'owner' | 'analyst' | 'writer' | 'nobody'
  /** Before the page loads. */
  readonly stage?: (page: Page, world: Console) => Promise<unknown>
  /** After it has loaded. */
  readonly act?: (page: Page, words: Words) => Promise<unknown>
  /** Shown when it is complete. */
  readonly shows: string
  readonly isLoading?: true
}

const press = (button: (words: Words) => string) => async (page: Page, words: Words) =>
  page
    .getByRole('button', { name: button(words), exact: true })
    .first()
    .click()

/** The menu of the first row, and an entry of it. */
const rowMenu = (entry: (words: Words) => string) => async (page: Page, words: Words) => {
  await page.locator('td button[aria-haspopup]').first().click()
  await page.getByRole('menuitem', { name: entry(words), exact: true }).click()
}

/** The menu of the first card, and an entry of it. */
const itemMenu =
  (entry: (words: Words) => string, item = 'main :is(li, [role=row])') =>
  async (page: Page, words: Words) => {
    await page.locator(`${item} button[aria-haspopup]`).first().click()
    await page.getByRole('menuitem', { name: entry(words), exact: true }).click()
  }
/** In the visual editor, whose panes are tabs where the page is narrow. */
const selectInOutline = (name: RegExp) => async (page: Page, words: Words) => {
  const outline = page.getByRole('treegrid', { name: words.visualOutline })
  const tab = (pane: string) => page.getByRole('radio', { name: pane, exact: true })
  await outline.or(tab(words.visualOutline)).first().waitFor()
  const isNarrow = await tab(words.visualOutline).isVisible()
  if (isNarrow) await tab(words.visualOutline).click()
  await outline.getByRole('row', { name }).first().click()
  if (isNarrow) await tab(words.visualProperties).click()
}

const part = '/{project}'
const campaign = `${part}/campaigns`
const audience = `${part}/audience`
const sending = `${part}/sending`
const settings = `${part}/settings`
const developers = `${part}/developers`
const operator = '/operator'
const automatic = `${part}/automatic`
const templates = `${part}/templates`
const gallery = `${templates}/gallery`
const dialog = '[role=dialog] h2'
const outlineRow = 'main [role=treegrid] [role=row]'

/** As long as one of the server. */
const token = 'a-token'.padEnd(43, 'x')

const inHamburg = [
  { conditions: [{ category: 'contact-property', property: 'city', operator: 'equals', value: 'Hamburg' }] },
]

/** Every page, dialog and state of the console. */
export const screens: readonly Screen[] = [
  { name: 'sign-in', path: '/', as: 'nobody', shows: 'h1' },
  { name: 'sign-in-provider', path: '/', as: 'nobody', stage: providerSignIn, shows: 'h1' },
  { name: 'sign-in-callback', path: '/sign-in/callback?state=x&code=y', as: 'nobody', shows: '[role=alert]' },
  { name: 'setup', path: `/setup#${token}`, as: 'nobody', shows: 'input' },
  { name: 'setup-no-token', path: '/setup', as: 'nobody', shows: '[role=alert]' },
  { name: 'setup-cut-token', path: `/setup#${token.slice(0, -3)}`, as: 'nobody', shows: '[role=alert]' },
  { name: 'invitation', path: `/invitation#${token}`, as: 'nobody', shows: 'input' },
  { name: 'reset', path: `/reset#${token}`, as: 'nobody', shows: 'input' },
  { name: 'forgot', path: '/forgot', as: 'nobody', shows: 'input' },
  { name: 'link-used', path: `/link#${token}`, as: 'nobody', shows: '[role=alert]' },
  { name: 'no-project', path: '/000000000000000000000000/campaigns', shows: 'h1, h2' },
  { name: 'not-found', path: `${part}/nowhere`, shows: 'h1' },

  { name: 'home', path: `${part}/home`, shows: 'main table' },
  { name: 'home-busy', path: `${part}/home`, stage: busyHome, shows: 'main table' },
  { name: 'home-halted', path: `${part}/home`, stage: haltedHome, shows: 'main table' },
  { name: 'home-new', path: `${part}/home`, stage: emptyLists, shows: 'main table' },
  { name: 'home-loading', path: `${part}/home`, stage: noAnswer, shows: 'main [role=status]', isLoading: true },
  { name: 'home-of-an-analyst', path: `${part}/home`, as: 'analyst', stage: busyHome, shows: 'main table' },
  {
    name: 'home-table',
    path: `${part}/home`,
    stage: busyHome,
    act: press(({ asTable }) => asTable),
    shows: 'main table',
  },

  { name: 'campaigns', path: campaign, stage: manyCampaigns, shows: 'tbody tr' },
  { name: 'campaigns-empty', path: campaign, stage: emptyLists, shows: 'main h2' },
  { name: 'campaigns-loading', path: campaign, stage: noAnswer, shows: 'main [role=status]', isLoading: true },
  { name: 'campaigns-found', path: `${campaign}?find=READING`, shows: 'tbody tr' },
  { name: 'campaigns-views', path: `${campaign}?find=letter`, stage: savedViews, shows: 'main nav a' },
  {
    name: 'campaigns-save-view',
    path: `${campaign}?find=READING`,
    act: press(({ viewSave }) => viewSave),
    shows: dialog,
  },
  { name: 'campaigns-nothing-matches', path: `${campaign}?find=none`, shows: 'main h2' },
  { name: 'campaigns-new', path: `${campaign}?new=1`, shows: dialog },
  { name: 'campaigns-delete', path: campaign, act: rowMenu(({ deleteMore }) => deleteMore), shows: dialog },
  { name: 'campaigns-of-an-analyst', path: campaign, as: 'analyst', shows: 'tbody tr' },

  { name: 'draft-content', path: `${campaign}/{draft}`, shows: '.cm-line' },
  {
    name: 'visual-text',
    path: `${campaign}/{draft}`,
    stage: visualDraft,
    act: selectInOutline(/Advent reading nights|Hello|greeting/),
    shows: '[contenteditable]',
  },
  {
    name: 'visual-button',
    path: `${campaign}/{draft}`,
    stage: visualDraft,
    act: selectInOutline(/Reserve a seat/),
    shows: '[aria-expanded]',
  },
  {
    name: 'visual-social',
    path: `${campaign}/{draft}`,
    stage: socialVisualDraft,
    act: selectInOutline(/: LinkedIn/),
    shows: '[aria-expanded]',
  },
  {
    name: 'visual-condition',
    path: `${campaign}/{draft}`,
    stage: visualDraft,
    act: selectInOutline(/contact\.city/),
    shows: 'section h2',
  },
  {
    name: 'visual-preview',
    path: `${campaign}/{draft}`,
    stage: visualDraft,
    shows: 'section iframe, [role=treegrid]',
  },
  { name: 'visual-empty', path: `${campaign}/{draft}`, stage: emptyVisualDraft, shows: 'main button' },
  {
    name: 'visual-import',
    path: `${campaign}/{draft}`,
    stage: emptyVisualDraft,
    act: press(({ visualImportTitle }) => visualImportTitle),
    shows: dialog,
  },
  {
    name: 'visual-locked',
    path: `${campaign}/{draft}`,
    stage: strangeVisualDraft,
    act: selectInOutline(/mj-countdown/),
    shows: 'section pre',
  },
  {
    name: 'visual-not-rich',
    path: `${campaign}/{draft}`,
    stage: strangeVisualDraft,
    act: selectInOutline(/Old/),
    shows: 'section textarea',
  },
  { name: 'draft-audience', path: `${campaign}/{draft}?step=audience`, shows: 'main li, main dl' },
  { name: 'draft-test', path: `${campaign}/{draft}?step=test`, shows: 'textarea' },
  { name: 'draft-time', path: `${campaign}/{draft}?step=time`, shows: 'main h2' },
  { name: 'draft-send', path: `${campaign}/{draft}?step=send`, shows: 'main dl' },
  { name: 'draft-of-a-writer', path: `${campaign}/{draft}?step=send`, as: 'writer', shows: 'main dl' },
  { name: 'scheduled', path: `${campaign}/{scheduled}?step=time`, shows: 'main h2' },

  {
    name: 'live',
    path: `${campaign}/{sent}`,
    stage: ranCampaign('being-sent'),
    shows: 'main svg[role=img], main dl, main h2',
  },
  {
    name: 'live-stop',
    path: `${campaign}/{sent}`,
    stage: ranCampaign('being-sent'),
    act: press(({ stopMore }) => stopMore),
    shows: dialog,
  },
  { name: 'stopped', path: `${campaign}/{sent}`, stage: ranCampaign('error'), shows: '[role=alert]' },
  { name: 'report', path: `${campaign}/{sent}`, stage: ranCampaign('sent'), shows: 'main svg[role=img]' },
  { name: 'report-as-sent', path: `${campaign}/{sent}`, shows: 'main h2' },
  { name: 'report-recipients', path: `${campaign}/{sent}?part=sent`, stage: ranCampaign('sent'), shows: 'tbody tr' },
  {
    name: 'report-retry',
    path: `${campaign}/{sent}`,
    stage: ranCampaign('sent'),
    act: async (page) => page.locator('section label:has(input[type=checkbox])').first().click(),
    shows: 'main svg[role=img]',
  },
  {
    name: 'report-share',
    path: `${campaign}/{sent}`,
    stage: ranCampaign('sent'),
    act: press(({ shareReport }) => shareReport),
    shows: dialog,
  },
  {
    name: 'report-table',
    path: `${campaign}/{sent}`,
    stage: ranCampaign('sent'),
    act: press(({ asTable }) => asTable),
    shows: 'tbody tr',
  },

  { name: 'automatic', path: automatic, stage: busyEmails, shows: 'tbody tr' },
  { name: 'automatic-triggered', path: `${automatic}?kind=triggered`, shows: 'tbody tr' },
  { name: 'automatic-empty', path: automatic, stage: emptyLists, shows: 'main h2' },
  { name: 'automatic-new', path: `${automatic}?new=1`, shows: dialog },
  { name: 'automatic-new-triggered', path: `${automatic}?kind=triggered&new=1`, shows: dialog },
  { name: 'automatic-delete', path: automatic, act: rowMenu(({ deleteMore }) => deleteMore), shows: dialog },
  { name: 'automatic-of-an-analyst', path: automatic, as: 'analyst', stage: busyEmails, shows: 'tbody tr' },
  { name: 'email-content', path: `${automatic}/transactional/{transactional}`, shows: '.cm-line' },
  { name: 'email-triggered', path: `${automatic}/triggered/{triggered}`, shows: '.cm-line' },
  {
    name: 'email-feed',
    path: `${automatic}/triggered/{triggered}`,
    act: press(({ feedAdd }) => feedAdd),
    shows: dialog,
  },
  { name: 'email-data', path: `${automatic}/transactional/{transactional}?part=data`, shows: '.cm-line' },
  {
    name: 'email-figures',
    path: `${automatic}/transactional/{transactional}?part=figures`,
    stage: busyEmails,
    shows: 'main svg[role=img]',
  },
  { name: 'email-code', path: `${automatic}/triggered/{triggered}?part=code`, shows: 'main pre' },
  {
    name: 'email-of-an-analyst',
    path: `${automatic}/transactional/{transactional}`,
    as: 'analyst',
    shows: '.cm-line',
  },

  { name: 'templates', path: templates, shows: 'main li iframe' },
  { name: 'templates-empty', path: templates, stage: emptyLists, shows: 'main h2' },
  { name: 'templates-loading', path: templates, stage: noAnswer, shows: 'main [role=status]', isLoading: true },
  { name: 'templates-new', path: `${templates}?new=1`, shows: dialog },
  { name: 'templates-use', path: templates, act: itemMenu(({ templateUse }) => templateUse), shows: dialog },
  { name: 'templates-delete', path: templates, act: itemMenu(({ deleteMore }) => deleteMore), shows: dialog },
  { name: 'templates-of-an-analyst', path: templates, as: 'analyst', shows: 'main li' },
  { name: 'template', path: `${templates}/{template}`, shows: outlineRow },
  { name: 'template-of-an-analyst', path: `${templates}/{template}`, as: 'analyst', shows: outlineRow },
  { name: 'design', path: `${templates}/design`, shows: 'main li' },
  { name: 'design-fonts', path: `${templates}/design?part=fonts`, shows: 'main li' },
  { name: 'design-words', path: `${templates}/design?part=words`, shows: 'main li' },
  { name: 'design-styles', path: `${templates}/design?part=components`, shows: 'main li' },
  {
    name: 'design-picker',
    path: `${templates}/design?part=words`,
    act: press((words) => words.gallery),
    shows: '[role=dialog] [role=row]',
  },
  { name: 'design-of-an-analyst', path: `${templates}/design`, as: 'analyst', shows: 'main li' },
  { name: 'gallery', path: gallery, shows: 'main [role=row]' },
  { name: 'gallery-folder', path: `${gallery}?folder={folder}`, shows: 'main [role=row]' },
  { name: 'gallery-empty', path: gallery, stage: emptyLists, shows: 'main h2' },
  { name: 'gallery-new-folder', path: `${gallery}?new=1`, shows: dialog },
  {
    name: 'gallery-image',
    path: gallery,
    act: async (page) => page.locator('main [role=row] img').first().click(),
    shows: dialog,
  },
  {
    name: 'gallery-move',
    path: gallery,
    act: itemMenu(({ galleryMove }) => galleryMove, 'main [role=row]:has(img)'),
    shows: '[role=dialog] [role=row]',
  },
  { name: 'gallery-rename', path: gallery, act: itemMenu(({ rename }) => rename), shows: dialog },
  { name: 'gallery-delete', path: gallery, act: itemMenu(({ deleteMore }) => deleteMore), shows: dialog },
  { name: 'gallery-of-an-analyst', path: gallery, as: 'analyst', shows: 'main [role=row]' },

  { name: 'contacts', path: `${audience}/contacts`, shows: 'tbody tr' },
  { name: 'contacts-empty', path: `${audience}/contacts`, stage: emptyLists, shows: 'main h2' },
  {
    name: 'contacts-chosen',
    path: `${audience}/contacts`,
    act: async (page) => page.locator('tbody label').first().click(),
    shows: 'tbody tr',
  },
  {
    name: 'contacts-add-to-list',
    path: `${audience}/contacts`,
    act: async (page, words) => {
      await page.locator('tbody label').first().click()
      await press(({ addToList }) => addToList)(page, words)
    },
    shows: dialog,
  },
  {
    name: 'contacts-filtered',
    path: `${audience}/contacts?${new URLSearchParams({ conditions: JSON.stringify({ groups: inHamburg }) })}`,
    shows: 'main form [role=button], main form button',
  },
  { name: 'contacts-new', path: `${audience}/contacts?new=1`, shows: dialog },
  { name: 'contacts-of-an-analyst', path: `${audience}/contacts`, as: 'analyst', shows: 'h1' },
  { name: 'contact', path: `${audience}/contacts/ada%40hartwell.example`, shows: 'main dl' },
  {
    name: 'tag-rename',
    path: `${audience}/fields`,
    act: async (page, words) => {
      await page.locator('tr').filter({ hasText: 'fiction' }).locator('button[aria-haspopup]').click()
      await page.getByRole('menuitem', { name: words.rename }).click()
    },
    shows: dialog,
  },
  {
    name: 'contact-edit',
    path: `${audience}/contacts/ada%40hartwell.example`,
    act: press(({ edit }) => edit),
    shows: dialog,
  },
  { name: 'contact-gone', path: `${audience}/contacts/nobody%40hartwell.example`, shows: 'main p, main div' },
  { name: 'lists', path: `${audience}/lists`, shows: 'tbody tr' },
  { name: 'lists-edit', path: `${audience}/lists`, act: rowMenu(({ edit }) => edit), shows: dialog },
  { name: 'segments', path: `${audience}/segments`, shows: 'tbody tr' },
  { name: 'segment', path: `${audience}/segments/{segment}`, shows: 'main section' },
  {
    name: 'segment-unsaved',
    path: `${audience}/segments/{segment}`,
    act: async (page, words) => {
      await page.getByLabel(words.name, { exact: true }).fill('Renamed')
      await page.locator('header').getByRole('link', { name: words.segments }).click()
    },
    shows: dialog,
  },
  { name: 'forms', path: `${audience}/forms`, shows: 'tbody tr' },
  { name: 'forms-empty', path: `${audience}/forms`, stage: emptyLists, shows: 'main h2' },
  { name: 'forms-new', path: `${audience}/forms?add=forms`, shows: dialog },
  { name: 'forms-delete', path: `${audience}/forms`, act: rowMenu(({ deleteMore }) => deleteMore), shows: dialog },
  { name: 'form', path: `${audience}/forms/{form}`, shows: 'main iframe' },
  { name: 'form-of-an-analyst', path: `${audience}/forms/{form}`, as: 'analyst', shows: 'main iframe' },
  {
    name: 'form-captcha-of-a-provider',
    path: `${audience}/forms/{form}`,
    stage: formWithWidget,
    shows: 'main input[type=password]',
  },
  {
    name: 'form-embed',
    path: `${audience}/forms/{form}`,
    act: press(({ formEmbed }) => formEmbed),
    shows: '[role=dialog] pre',
  },
  {
    name: 'form-new-mail',
    path: `${audience}/forms/{form}`,
    act: press(({ formNewMail }) => formNewMail),
    shows: dialog,
  },
  {
    name: 'form-edit-mail',
    path: `${audience}/forms/{form}`,
    act: press(({ formEditMail }) => formEditMail),
    shows: '[role=dialog] textarea',
  },
  { name: 'fields', path: `${audience}/fields`, shows: 'tbody tr' },
  { name: 'fields-new', path: `${audience}/fields?add=customFields`, shows: dialog },
  { name: 'suppressions', path: `${audience}/suppressions`, shows: 'tbody tr' },
  { name: 'imports', path: `${audience}/imports`, shows: 'tbody tr' },
  { name: 'import-mapping', path: `${audience}/imports/{upload}`, shows: 'main li' },
  { name: 'import-done', path: `${audience}/imports/{imported}`, shows: 'main dl' },

  { name: 'deliveries', path: `${part}/deliveries`, shows: 'tbody tr' },
  { name: 'deliveries-many', path: `${part}/deliveries`, stage: manyMails, shows: 'tbody tr' },
  { name: 'deliveries-empty', path: `${part}/deliveries`, stage: emptyLists, shows: 'main h2' },
  { name: 'deliveries-nothing-matches', path: `${part}/deliveries?subject=none`, shows: 'main h2' },
  {
    name: 'deliveries-further',
    path: `${part}/deliveries?reason=blocked`,
    stage: longSearch,
    shows: 'main nav button',
  },
  {
    name: 'deliveries-loading',
    path: `${part}/deliveries`,
    stage: noAnswer,
    shows: 'main [role=status]',
    isLoading: true,
  },
  { name: 'deliveries-of-an-analyst', path: `${part}/deliveries`, as: 'analyst', shows: 'h1' },
  {
    name: 'delivery',
    path: `${part}/deliveries?status=sent`,
    act: async (page) => page.locator('tbody tr a').first().click(),
    shows: 'main time',
  },
  { name: 'delivery-gone', path: `${part}/deliveries/none%3Anone`, shows: '[role=alert]' },
  { name: 'explain-form', path: `${part}/deliveries/explain`, shows: 'input' },
  {
    name: 'palette',
    path: campaign,
    act: async (page, words) => page.getByRole('button', { name: words.paletteOpen }).first().click(),
    shows: '[role=dialog] [role=option]',
  },
  {
    name: 'palette-found',
    path: campaign,
    act: async (page, words) => {
      await page.getByRole('button', { name: words.paletteOpen }).first().click()
      await page.getByPlaceholder(words.palettePlaceholder).fill('jon')
      await page.getByRole('option', { name: /jonna/ }).waitFor()
    },
    shows: '[role=dialog] [role=option]',
  },
  {
    name: 'palette-nothing',
    path: campaign,
    act: async (page, words) => {
      await page.getByRole('button', { name: words.paletteOpen }).first().click()
      await page.getByPlaceholder(words.palettePlaceholder).fill('zzzz')
    },
    shows: '[role=dialog] [role=listbox] p',
  },
  {
    name: 'palette-of-an-analyst',
    path: campaign,
    as: 'analyst',
    act: async (page, words) => page.getByRole('button', { name: words.paletteOpen }).first().click(),
    shows: '[role=dialog] [role=option]',
  },

  { name: 'deliveries', path: `${part}/deliveries`, shows: 'input' },
  { name: 'explain', path: `${part}/deliveries?address=ada%40hartwell.example`, shows: 'main b' },
  {
    name: 'explain-eventful',
    path: `${part}/deliveries?address=ada%40hartwell.example`,
    stage: eventfulMail,
    shows: 'main time',
  },
  { name: 'explain-imported', path: `${part}/deliveries?address=zoe%40fair.example`, shows: 'main time' },
  { name: 'explain-suppressed', path: `${part}/deliveries?address=jonas.rieck%40hafenpost.example`, shows: 'main b' },
  { name: 'explain-unknown', path: `${part}/deliveries?address=nobody%40hafenpost.example`, shows: 'main h2' },

  { name: 'domains', path: `${sending}/domains`, shows: 'tbody tr' },
  { name: 'domains-of-a-busy-shop', path: `${sending}/domains`, stage: busySending, shows: 'tbody tr' },
  { name: 'domains-empty', path: `${sending}/domains`, stage: emptyLists, shows: 'main div h2' },
  { name: 'domains-restricted', path: `${sending}/domains`, stage: restrictedSending, shows: 'main [role=alert]' },
  { name: 'domains-new', path: `${sending}/domains?add=domains`, shows: dialog },
  { name: 'domains-of-an-analyst', path: `${sending}/domains`, as: 'analyst', stage: busySending, shows: 'tbody tr' },
  { name: 'domain', path: `${sending}/domains/{domain}`, shows: 'tbody tr' },
  { name: 'domain-verified', path: `${sending}/domains/{domain}`, stage: domainThatIs('verified'), shows: 'tbody tr' },
  { name: 'domain-pending', path: `${sending}/domains/{domain}`, stage: domainThatIs('pending'), shows: 'tbody tr' },
  { name: 'domain-lost', path: `${sending}/domains/{domain}`, stage: domainThatIs('lost'), shows: 'tbody tr' },
  {
    name: 'domain-of-an-analyst',
    path: `${sending}/domains/{domain}`,
    as: 'analyst',
    stage: domainThatIs('lost'),
    shows: 'tbody tr',
  },
  { name: 'domain-tracking', path: `${sending}/domains/{domain}`, act: press(({ edit }) => edit), shows: dialog },
  {
    name: 'domain-delete',
    path: `${sending}/domains/{domain}`,
    act: press(({ deleteMore }) => deleteMore),
    shows: dialog,
  },
  { name: 'senders', path: `${sending}/senders`, shows: 'tbody tr' },
  { name: 'senders-of-a-busy-shop', path: `${sending}/senders`, stage: busySending, shows: 'tbody tr' },
  { name: 'senders-empty', path: `${sending}/senders`, stage: emptyLists, shows: 'main div h2' },
  { name: 'senders-new', path: `${sending}/senders?add=senders`, shows: dialog },
  {
    name: 'senders-delete',
    path: `${sending}/senders`,
    stage: busySending,
    act: rowMenu(({ deleteMore }) => deleteMore),
    shows: dialog,
  },
  { name: 'senders-of-an-analyst', path: `${sending}/senders`, as: 'analyst', stage: busySending, shows: 'tbody tr' },

  { name: 'reputation', path: `${sending}/reputation`, shows: 'main section' },
  {
    name: 'reputation-providers',
    path: `${sending}/reputation`,
    stage: refusingProvider,
    shows: 'tbody tr',
  },
  { name: 'reputation-limits', path: `${sending}/reputation`, stage: askedLimits, shows: 'tbody tr' },
  { name: 'reputation-restricted', path: `${sending}/reputation`, stage: restrictedSending, shows: '[role=alert]' },
  { name: 'reputation-pending', path: `${sending}/reputation`, stage: pendingAccess, shows: 'main section' },
  { name: 'reputation-apply', path: `${sending}/reputation?ask=access`, shows: dialog },
  { name: 'reputation-ask', path: `${sending}/reputation?ask=limit`, stage: askedLimits, shows: dialog },
  {
    name: 'reputation-of-an-analyst',
    path: `${sending}/reputation`,
    as: 'analyst',
    stage: askedLimits,
    shows: 'tbody tr',
  },

  { name: 'project', path: `${settings}/project`, stage: settledProject, shows: 'main form' },
  { name: 'project-of-an-analyst', path: `${settings}/project`, as: 'analyst', shows: 'main form' },
  {
    name: 'project-refused',
    path: `${settings}/project`,
    act: async (page, words) => {
      await page.getByLabel(words.setLogo, { exact: true }).fill('logo.png')
      await page.getByLabel(words.setPreferences).fill('ftp://kestrel.example')
      await page.getByLabel(words.currentPassword).fill(password)
      await press(({ save }) => save)(page, words)
    },
    shows: '[aria-invalid]',
  },
  { name: 'browser-access', path: `${settings}/browser`, stage: settledProject, shows: 'tbody tr' },
  { name: 'browser-access-of-an-analyst', path: `${settings}/browser`, as: 'analyst', shows: 'tbody tr' },
  {
    name: 'browser-access-refused',
    path: `${settings}/browser`,
    act: async (page, words) => {
      await page.getByLabel(words.setHosts).fill('kestrel.example\nhttps://shop.kestrel.example/')
      await page.getByLabel(words.currentPassword).fill(password)
      await press(({ save }) => save)(page, words)
    },
    shows: '[aria-invalid]',
  },
  { name: 'retention', path: `${settings}/retention`, shows: 'tbody tr' },
  { name: 'cloud', path: `${settings}/cloud`, shows: 'main form' },
  {
    name: 'cloud-refused',
    path: `${settings}/cloud`,
    act: async (page, words) => {
      await page.getByLabel(words.setCloudArn).fill('posthorn')
      await page.getByRole('button', { name: words.region }).click()
      await page.getByRole('option').first().click()
      await page.getByLabel(words.currentPassword).fill(password)
      await press(({ save }) => save)(page, words)
    },
    shows: '[aria-invalid]',
  },
  {
    name: 'cloud-rate',
    path: `${settings}/cloud`,
    stage: refusingAccount,
    act: press(({ setCloudCheckDo }) => setCloudCheckDo),
    shows: '[aria-invalid]',
  },
  {
    name: 'cloud-checked',
    path: `${settings}/cloud`,
    stage: ownAccount(true),
    act: press(({ setCloudCheckDo }) => setCloudCheckDo),
    shows: '[role=status] + div',
  },
  {
    name: 'cloud-remove',
    path: `${settings}/cloud`,
    stage: ownAccount(false),
    act: press(({ setCloudRemove }) => setCloudRemove),
    shows: dialog,
  },
  { name: 'cloud-of-an-analyst', path: `${settings}/cloud`, as: 'analyst', shows: 'h1' },
  { name: 'people', path: `${part}/settings/people`, shows: 'tbody tr' },
  { name: 'people-invite', path: `${part}/settings/people`, act: press(({ invite }) => invite), shows: dialog },
  { name: 'audit', path: `${part}/settings/audit`, shows: 'tbody tr' },
  { name: 'audit-filtered', path: `${part}/settings/audit?by=person&action=invitePerson`, shows: 'tbody tr' },
  { name: 'audit-nothing', path: `${part}/settings/audit?record=none`, shows: 'main h2' },
  { name: 'account', path: `${part}/settings/account`, shows: 'tbody tr' },
  {
    name: 'account-password',
    path: `${part}/settings/account`,
    act: press(({ changePassword }) => changePassword),
    shows: dialog,
  },

  { name: 'keys', path: `${developers}/keys`, stage: manyKeys, shows: 'tbody tr' },
  { name: 'keys-read', path: `${developers}/keys`, shows: 'tbody tr' },
  { name: 'keys-empty', path: `${developers}/keys`, stage: emptyLists, shows: 'main h2' },
  { name: 'keys-new', path: `${developers}/keys?new=1`, shows: dialog },
  {
    name: 'keys-shown-once',
    path: `${developers}/keys?new=1`,
    stage: manyKeys,
    act: async (page, words) => {
      await page.getByRole('dialog').getByLabel(words.name).fill('Shop')
      await page.getByLabel(words.currentPassword).fill(password)
      await page.getByRole('button', { name: words.createKey }).click()
      await page.getByRole('heading', { name: words.keyShownTitle }).waitFor()
    },
    shows: '[role=dialog] code',
  },
  {
    name: 'keys-revoke',
    path: `${developers}/keys`,
    stage: manyKeys,
    act: rowMenu(({ revokeKey }) => revokeKey),
    shows: dialog,
  },
  { name: 'keys-of-an-analyst', path: `${developers}/keys`, as: 'analyst', shows: 'h1' },
  { name: 'webhooks', path: `${developers}/webhooks`, shows: 'tbody tr' },
  { name: 'webhooks-failing', path: `${developers}/webhooks`, stage: troubledWebhook, shows: 'tbody tr' },
  { name: 'webhooks-empty', path: `${developers}/webhooks`, stage: emptyLists, shows: 'main h2' },
  { name: 'webhooks-new', path: `${developers}/webhooks?new=1`, shows: dialog },
  {
    name: 'webhooks-delete',
    path: `${developers}/webhooks`,
    act: rowMenu(({ deleteMore }) => deleteMore),
    shows: dialog,
  },
  { name: 'webhooks-of-an-analyst', path: `${developers}/webhooks`, as: 'analyst', shows: 'h1' },
  { name: 'webhook', path: `${developers}/webhooks/{webhook}`, shows: 'main dl' },
  { name: 'webhook-failing', path: `${developers}/webhooks/{webhook}`, stage: troubledWebhook, shows: 'tbody tr' },
  {
    name: 'webhook-event',
    path: `${developers}/webhooks/{webhook}?event={webhook}`,
    stage: troubledWebhook,
    shows: 'main pre',
  },
  {
    name: 'webhook-replay',
    path: `${developers}/webhooks/{webhook}?state=given-up`,
    stage: troubledWebhook,
    act: async (page, words) => {
      const beginning = words.hookReplayMore.split('{count}').find((word) => word !== '') ?? ''
      await page.locator('main').getByRole('button', { name: beginning }).first().click()
    },
    shows: dialog,
  },
  {
    name: 'webhook-test',
    path: `${developers}/webhooks/{webhook}`,
    act: press(({ hookTest }) => hookTest),
    shows: dialog,
  },
  { name: 'repeats', path: `${developers}/repeats`, stage: repeatedRequests, shows: 'tbody tr' },
  { name: 'repeats-none', path: `${developers}/repeats`, shows: 'main h2' },
  { name: 'api-reference', path: `${developers}/api`, shows: 'tbody tr' },
  { name: 'api-reference-nothing-matches', path: `${developers}/api?find=nowhere`, shows: 'main h2' },
  { name: 'api-operation', path: `${developers}/api/createCampaign`, shows: 'main pre' },
  { name: 'api-operation-unknown', path: `${developers}/api/nothing`, shows: 'main h2' },
  {
    name: 'signature',
    path: `${developers}/signature`,
    act: async (page, words) => {
      const headers = 'webhook-id: evt_1\nwebhook-timestamp: 1764201600\nwebhook-signature: v1,AAAA'
      await page.getByLabel(words.signHeaders).fill(headers)
      await page.getByLabel(words.signBody).fill('{"type":"bounce"}')
      await page.getByLabel(words.signSecret).fill('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')
      await page.getByRole('button', { name: words.signCheck }).click()
    },
    shows: '[role=alert]',
  },
  { name: 'operator-reviews', path: `${operator}/reviews`, stage: reviewsThatWait, shows: 'main h2' },
  { name: 'operator-reviews-empty', path: `${operator}/reviews`, shows: 'main h2' },
  {
    name: 'operator-reviews-loading',
    path: `${operator}/reviews`,
    stage: noAnswer,
    shows: 'main [role=status]',
    isLoading: true,
  },
  {
    name: 'operator-approve',
    path: `${operator}/reviews`,
    stage: reviewsThatWait,
    act: press(({ opApprove }) => opApprove),
    shows: dialog,
  },
  { name: 'operator-projects', path: `${operator}/projects`, stage: operatedProjects, shows: 'tbody tr' },
  { name: 'operator-projects-nothing-matches', path: `${operator}/projects?find=none`, shows: 'main h2' },
  { name: 'operator-project', path: `${operator}/projects/{project}`, shows: 'main dl' },
  {
    name: 'operator-view',
    path: `${operator}/projects`,
    stage: projectOfOthers,
    act: async (page, words) => {
      await page.locator('tbody a').first().click()
      await press(({ viewBegin }) => viewBegin)(page, words)
    },
    shows: dialog,
  },
  { name: 'operator-viewing', path: `${part}/audience/contacts`, stage: viewedProject, shows: 'tbody tr' },
  {
    name: 'operator-restrict',
    path: `${operator}/reviews`,
    stage: reviewsThatWait,
    act: async (page, words) => {
      await page.locator('main h2 a').first().click()
      await page.getByRole('button', { name: words.opRestrict, exact: true }).click()
    },
    shows: dialog,
  },
  { name: 'operator-accounts', path: `${operator}/accounts`, shows: 'tbody tr' },
  {
    name: 'operator-account',
    path: `${operator}/accounts`,
    act: async (page) => page.locator('tbody a').first().click(),
    shows: 'main dl',
  },
  {
    name: 'operator-credit',
    path: `${operator}/accounts`,
    act: async (page, words) => {
      await page.locator('tbody a').first().click()
      await page.getByRole('button', { name: words.opAddCredit }).click()
    },
    shows: dialog,
  },
  { name: 'operator-server', path: `${operator}/server`, stage: busyServer, shows: 'tbody tr' },
  {
    name: 'operator-checks',
    path: `${operator}/server`,
    stage: busyServer,
    act: press(({ opRunChecks }) => opRunChecks),
    shows: 'tbody tr:nth-child(3)',
  },
  { name: 'operator-of-an-analyst', path: `${operator}/reviews`, as: 'analyst', shows: 'h1' },
  { name: 'signature-of-an-analyst', path: `${developers}/signature`, as: 'analyst', shows: 'textarea' },
]

/** Opens it and waits until nothing loads any more. */
export const show = async (page: Page, world: Console, screen: Screen, words: Words = en): Promise<void> => {
  await screen.stage?.(page, world)
  await page.goto(world.at(screen.path))
  if (screen.act) {
    await page.locator(':is(tbody tr, main h2, main [role=row], main li)').first().waitFor()
    await screen.act(page, words)
  }
  await page.locator(screen.shows).first().waitFor()
  if (!screen.isLoading)
    await page.locator(`main [role=status][aria-label="${words.loading}"]`).first().waitFor({ state: 'detached' })
}
