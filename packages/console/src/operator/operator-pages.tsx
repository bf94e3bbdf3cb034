import type { ReactNode } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { PageFrame } from '../shell/layout.js'
import layoutCss from '../shell/layout.module.css'
import { SignOutButton, useSession } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Icon, type IconName, Logo } from '../ui/icons.js'
import { Note } from '../ui/states.js'
import { OperatorAccountPage } from './account-page.js'
import { AccountsPage, ProjectsPage } from './lists.js'
import { OperatorProjectPage } from './project-page.js'
import { ReviewsPage } from './reviews-page.js'
import { ServerPage } from './server-page.js'

const items = [
  { path: '/operator/reviews', label: 'opReviews', icon: 'list' },
  { path: '/operator/projects', label: 'projects', icon: 'send' },
  { path: '/operator/accounts', label: 'opAccounts', icon: 'people' },
  { path: '/operator/server', label: 'opServer', icon: 'machine' },
] as const satisfies readonly { readonly path: string; readonly label: string; readonly icon: IconName }[]

const OperatorLayout = ({ children }: { readonly children: ReactNode }) => {
  const { say } = useText()
  const { person, embedded = false } = useSession()
  const [location] = useLocation()
  const links = (className: string | undefined, size?: number) =>
    items.map(({ path, label, icon }) => (
      <Link
        key={path}
        href={path}
        className={className}
        aria-current={location === path || location.startsWith(`${path}/`) ? 'page' : undefined}
      >
        <Icon name={icon} {...(size !== undefined && { size })} />
        {say(label)}
      </Link>
    ))
  return (
    <div className={layoutCss.frame}>
      <a className={layoutCss.skip} href="#main">
        {say('skip')}
      </a>
      <aside className={layoutCss.column} aria-label={say('opTitle')}>
        <Link href="/" className={layoutCss.switcher}>
          <span className={layoutCss.mark}>
            <Logo size={18} />
          </span>
          <span className={layoutCss.who}>
            <b>{say('opTitle')}</b>
            <small>{say('opBack')}</small>
          </span>
        </Link>
        <nav className={layoutCss.nav} aria-label={say('navigation')}>
          {links(layoutCss.item)}
        </nav>
        <span className={layoutCss.spring} />
        <div>
          <span className={layoutCss.who}>
            <b>{person.name}</b>
            <small>{person.email}</small>
          </span>
        </div>
        {!embedded && <SignOutButton />}
      </aside>
      <div className={layoutCss.content}>{children}</div>
      <nav className={layoutCss.bar} aria-label={say('navigation')}>
        {links(layoutCss.barItem, 20)}
        <Link href="/" className={layoutCss.barItem}>
          <Icon name="leave" size={20} />
          {say('close')}
        </Link>
      </nav>
    </div>
  )
}

/** Pages about the whole installation. The server decides who may read them; other people see a note. */
export const OperatorPages = ({ missing }: { readonly missing: ReactNode }) => {
  const { say } = useText()
  const { person } = useSession()
  if (!person.operator)
    return (
      <PageFrame title={say('opTitle')}>
        <Note>{say('errorForbidden')}</Note>
        <Link href="/">{say('opBack')}</Link>
      </PageFrame>
    )
  return (
    <OperatorLayout>
      <Switch>
        <Route path="/operator">
          <Redirect to="/operator/reviews" replace />
        </Route>
        <Route path="/operator/reviews" component={ReviewsPage} />
        <Route path="/operator/projects" component={ProjectsPage} />
        <Route path="/operator/projects/:id">{({ id }) => <OperatorProjectPage id={id} key={id} />}</Route>
        <Route path="/operator/accounts" component={AccountsPage} />
        <Route path="/operator/accounts/:id">{({ id }) => <OperatorAccountPage id={id} key={id} />}</Route>
        <Route path="/operator/server" component={ServerPage} />
        <Route>{missing}</Route>
      </Switch>
    </OperatorLayout>
  )
}
