import { Component, lazy, type ReactNode, Suspense } from 'react'
import { I18nProvider, RouterProvider } from 'react-aria-components'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { consoleBase } from './api/client.js'
import { CampaignsPage } from './campaigns/campaigns-page.js'
import { Layout, PageFrame } from './shell/layout.js'
import { lastProject, ProjectGate, SessionGate, SignOutButton, useSession } from './shell/session.js'
import { guardedNavigation, UnsavedDialog } from './shell/unsaved-guard.js'
import { bodyClass, Card, Page } from './sign-in/plain.js'
import { CallbackPage } from './sign-in/provider.js'
import { ForgotPage, InvitationPage, ResetPage, SetupPage, SignInLinkPage } from './sign-in/token-pages.js'
import { useText } from './text/text.js'
import { Button } from './ui/button.js'
import { Empty, Skeleton } from './ui/states.js'

const HomePage = lazy(async () => ({ default: (await import('./home/home-page.js')).HomePage }))
const CampaignPage = lazy(async () => ({ default: (await import('./campaigns/campaign-page.js')).CampaignPage }))
const AutomaticPage = lazy(async () => ({ default: (await import('./automatic/automatic-page.js')).AutomaticPage }))
const AutomaticEmailPage = lazy(async () => ({
  default: (await import('./automatic/email-page.js')).AutomaticEmailPage,
}))
const TemplatesPage = lazy(async () => ({ default: (await import('./templates/templates-page.js')).TemplatesPage }))
const TemplatePage = lazy(async () => ({ default: (await import('./templates/template-page.js')).TemplatePage }))
const DesignPage = lazy(async () => ({ default: (await import('./templates/design-page.js')).DesignPage }))
const GalleryPage = lazy(async () => ({ default: (await import('./gallery/gallery-page.js')).GalleryPage }))
const ContactsPage = lazy(async () => ({ default: (await import('./audience/contacts-page.js')).ContactsPage }))
const ContactPage = lazy(async () => ({ default: (await import('./audience/contact-page.js')).ContactPage }))
const ListsPage = lazy(async () => ({ default: (await import('./audience/audience-lists.js')).ListsPage }))
const SegmentsPage = lazy(async () => ({ default: (await import('./audience/audience-lists.js')).SegmentsPage }))
const SegmentPage = lazy(async () => ({ default: (await import('./audience/segment-page.js')).SegmentPage }))
const SuppressionsPage = lazy(async () => ({
  default: (await import('./audience/audience-lists.js')).SuppressionsPage,
}))
const FieldsPage = lazy(async () => ({ default: (await import('./audience/audience-lists.js')).FieldsPage }))
const FormsPage = lazy(async () => ({ default: (await import('./forms/forms-page.js')).FormsPage }))
const FormPage = lazy(async () => ({ default: (await import('./forms/form-page.js')).FormPage }))
const ImportsPage = lazy(async () => ({ default: (await import('./audience/imports-page.js')).ImportsPage }))
const ImportPage = lazy(async () => ({ default: (await import('./audience/import-page.js')).ImportPage }))
const ExplainPage = lazy(async () => ({ default: (await import('./deliveries/explain-page.js')).ExplainPage }))
const DeliveriesPage = lazy(async () => ({ default: (await import('./deliveries/mails-page.js')).DeliveriesPage }))
const MailPage = lazy(async () => ({ default: (await import('./deliveries/mail-page.js')).MailPage }))
const ReputationPage = lazy(async () => ({ default: (await import('./sending/reputation-page.js')).ReputationPage }))
const DomainsPage = lazy(async () => ({ default: (await import('./sending/domains-page.js')).DomainsPage }))
const DomainPage = lazy(async () => ({ default: (await import('./sending/domain-page.js')).DomainPage }))
const SendersPage = lazy(async () => ({ default: (await import('./sending/senders-page.js')).SendersPage }))
const ProjectPage = lazy(async () => ({ default: (await import('./settings/project-page.js')).ProjectPage }))
const BrowserPage = lazy(async () => ({
  default: (await import('./settings/allowed-origins-page.js')).AllowedOriginsPage,
}))
const RetentionPage = lazy(async () => ({ default: (await import('./settings/retention-page.js')).RetentionPage }))
const CloudPage = lazy(async () => ({ default: (await import('./settings/cloud-page.js')).CloudPage }))
const PeoplePage = lazy(async () => ({ default: (await import('./settings/people-page.js')).PeoplePage }))
const AuditPage = lazy(async () => ({ default: (await import('./settings/audit-page.js')).AuditPage }))
const AccountPage = lazy(async () => ({ default: (await import('./settings/account-page.js')).AccountPage }))
const KeysPage = lazy(async () => ({ default: (await import('./developers/keys-page.js')).KeysPage }))
const WebhooksPage = lazy(async () => ({ default: (await import('./developers/webhooks-page.js')).WebhooksPage }))
const EndpointPage = lazy(async () => ({ default: (await import('./developers/endpoint-page.js')).EndpointPage }))
const ReferencePage = lazy(async () => ({ default: (await import('./developers/reference-page.js')).ReferencePage }))
const OperationPage = lazy(async () => ({ default: (await import('./developers/operation-page.js')).OperationPage }))
const RepeatsPage = lazy(async () => ({ default: (await import('./developers/repeats-page.js')).RepeatsPage }))
const SignaturePage = lazy(async () => ({ default: (await import('./developers/signature-page.js')).SignaturePage }))
const OperatorPages = lazy(async () => ({ default: (await import('./operator/operator-pages.js')).OperatorPages }))

type BoundaryProps = { readonly children: ReactNode; readonly message: ReactNode }

/** No page is blank: a fault of the console itself says so, and how to go on. */
class Boundary extends Component<BoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? this.props.message : this.props.children
  }
}

const FaultNote = () => {
  const { say } = useText()
  return (
    <Page title={say('faultTitle')}>
      <Card title={say('faultTitle')}>
        <div className={bodyClass} role="alert">
          <p>{say('faultText')}</p>
          <Button kind="primary" onPress={() => window.location.reload()}>
            {say('reload')}
          </Button>
        </div>
      </Card>
    </Page>
  )
}

const NotFoundPage = () => {
  const { say } = useText()
  return (
    <PageFrame title={say('notFoundTitle')}>
      <Empty icon="search" title={say('notFoundTitle')}>
        {say('notFoundText')}
      </Empty>
    </PageFrame>
  )
}

const Start = () => {
  const { say } = useText()
  const { projects, person } = useSession()
  const project = projects.find(({ _id }) => _id === lastProject()) ?? projects[0]
  if (project) return <Redirect to={`/${project._id}/home`} replace />
  if (person.operator) return <Redirect to="/operator/reviews" replace />
  return (
    <Page title={say('noProjectsTitle')}>
      <Card title={say('noProjectsTitle')} under={say('noProjectsText')}>
        <div className={bodyClass}>
          <SignOutButton />
        </div>
      </Card>
    </Page>
  )
}

const ProjectPages = ({ projectId }: { readonly projectId: string }) => {
  const { say } = useText()
  const [location] = useLocation()
  return (
    <ProjectGate projectId={projectId} key={projectId}>
      <Layout>
        <Suspense
          fallback={
            <PageFrame title={say('loading')}>
              <Skeleton />
            </PageFrame>
          }
        >
          <Boundary key={location} message={<FaultNote />}>
            <Switch>
              <Route path="/:projectId">
                <Redirect to={`/${projectId}/home`} replace />
              </Route>
              <Route path="/:projectId/home" component={HomePage} />
              <Route path="/:projectId/campaigns" component={CampaignsPage} />
              <Route path="/:projectId/campaigns/:id" component={CampaignPage} />
              <Route path="/:projectId/automatic" component={AutomaticPage} />
              <Route path="/:projectId/automatic/:kind/:id" component={AutomaticEmailPage} />
              <Route path="/:projectId/templates" component={TemplatesPage} />
              <Route path="/:projectId/templates/design" component={DesignPage} />
              <Route path="/:projectId/templates/gallery" component={GalleryPage} />
              <Route path="/:projectId/templates/:id" component={TemplatePage} />
              <Route path="/:projectId/audience/contacts" component={ContactsPage} />
              <Route path="/:projectId/audience/contacts/:email" component={ContactPage} />
              <Route path="/:projectId/audience/imports" component={ImportsPage} />
              <Route path="/:projectId/audience/imports/:id" component={ImportPage} />
              <Route path="/:projectId/audience/lists" component={ListsPage} />
              <Route path="/:projectId/audience/segments" component={SegmentsPage} />
              <Route path="/:projectId/audience/segments/:id" component={SegmentPage} />
              <Route path="/:projectId/audience/forms" component={FormsPage} />
              <Route path="/:projectId/audience/forms/:id" component={FormPage} />
              <Route path="/:projectId/audience/suppressions" component={SuppressionsPage} />
              <Route path="/:projectId/audience/fields" component={FieldsPage} />
              <Route path="/:projectId/deliveries" component={DeliveriesPage} />
              <Route path="/:projectId/deliveries/explain" component={ExplainPage} />
              <Route path="/:projectId/deliveries/:id" component={MailPage} />
              <Route path="/:projectId/sending/domains" component={DomainsPage} />
              <Route path="/:projectId/sending/domains/:id" component={DomainPage} />
              <Route path="/:projectId/sending/senders" component={SendersPage} />
              <Route path="/:projectId/sending/reputation" component={ReputationPage} />
              <Route path="/:projectId/settings/project" component={ProjectPage} />
              <Route path="/:projectId/settings/browser" component={BrowserPage} />
              <Route path="/:projectId/settings/retention" component={RetentionPage} />
              <Route path="/:projectId/settings/cloud" component={CloudPage} />
              <Route path="/:projectId/settings/people" component={PeoplePage} />
              <Route path="/:projectId/settings/audit" component={AuditPage} />
              <Route path="/:projectId/settings/account" component={AccountPage} />
              <Route path="/:projectId/developers/keys" component={KeysPage} />
              <Route path="/:projectId/developers/webhooks" component={WebhooksPage} />
              <Route path="/:projectId/developers/webhooks/:id" component={EndpointPage} />
              <Route path="/:projectId/developers/api" component={ReferencePage} />
              <Route path="/:projectId/developers/api/:id" component={OperationPage} />
              <Route path="/:projectId/developers/repeats" component={RepeatsPage} />
              <Route path="/:projectId/developers/signature" component={SignaturePage} />
              <Route component={NotFoundPage} />
            </Switch>
          </Boundary>
        </Suspense>
      </Layout>
    </ProjectGate>
  )
}

const Pages = () => {
  const [, navigate] = useLocation()
  const { language } = useText()
  return (
    <I18nProvider locale={language}>
      <RouterProvider navigate={navigate}>
        <UnsavedDialog />
        <Boundary message={<FaultNote />}>
          <Switch>
            <Route path="/setup" component={SetupPage} />
            <Route path="/sign-in/callback" component={CallbackPage} />
            <Route path="/link" component={SignInLinkPage} />
            <Route path="/invitation" component={InvitationPage} />
            <Route path="/reset" component={ResetPage} />
            <Route path="/forgot" component={ForgotPage} />
            <Route>
              <SessionGate>
                <Switch>
                  <Route path="/" component={Start} />
                  <Route path="/operator/*?">
                    <Suspense fallback={null}>
                      <OperatorPages missing={<NotFoundPage />} />
                    </Suspense>
                  </Route>
                  <Route path="/:projectId/*?">{({ projectId }) => <ProjectPages projectId={projectId} />}</Route>
                </Switch>
              </SessionGate>
            </Route>
          </Switch>
        </Boundary>
      </RouterProvider>
    </I18nProvider>
  )
}

export const App = () => (
  <Router base={consoleBase} aroundNav={guardedNavigation}>
    <Pages />
  </Router>
)
