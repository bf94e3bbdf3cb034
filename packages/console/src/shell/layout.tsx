import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Link, useLocation } from 'wouter'
import { consoleBase } from '../api/client.js'
import { signOut } from '../api/session.js'
import { PaletteButton, usePalette } from '../palette/shortcut.js'
import { type Language, languageNames } from '../text/language-names.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { Dialog } from '../ui/dialog.js'
import { Select } from '../ui/field.js'
import fieldCss from '../ui/field.module.css'
import { Icon, Logo } from '../ui/icons.js'
import { Long } from '../ui/long.js'
import { ErrorNote } from '../ui/states.js'
import css from './layout.module.css'
import { type ConsolePage, usePages } from './pages.js'
import { roleLabel } from './roles.js'
import { useProject, useSession } from './session.js'
import { chooseTheme, chosenTheme, type Theme, themes } from './theme.js'
import { ViewBanner } from './view-banner.js'

const firstOf = ({ path, below }: ConsolePage) => below?.[0]?.path ?? path

const isWithin = (location: string, path: string) => location === path || location.startsWith(`${path}/`)

export const useIsOnline = () =>
  useSyncExternalStore(
    (changed) => {
      window.addEventListener('online', changed)
      window.addEventListener('offline', changed)
      return () => {
        window.removeEventListener('online', changed)
        window.removeEventListener('offline', changed)
      }
    },
    () => navigator.onLine,
  )

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32))
    .filter((_, at, all) => at === 0 || at === all.length - 1)
    .join('')
    .toUpperCase()

const ProjectSwitcher = () => {
  const { say } = useText()
  const { projects } = useSession()
  const { project } = useProject()
  const [, navigate] = useLocation()
  return (
    <MenuTrigger>
      <AriaButton className={css.switcher}>
        <span className={css.mark}>
          <Logo size={18} />
        </span>
        <span className={css.who}>
          <b>{project.name}</b>
          <small>{project.accountName}</small>
        </span>
        <Icon name="updown" />
      </AriaButton>
      <Popover className={fieldCss.popover}>
        <Menu
          className={fieldCss.options}
          aria-label={say('projects')}
          items={projects.map((one) => ({ ...one, id: one._id }))}
          selectionMode="single"
          selectedKeys={[project._id]}
          onAction={(key) => navigate(`/${key}/home`)}
        >
          {(one) => (
            <MenuItem id={one.id} className={fieldCss.option} textValue={one.name}>
              {one.name}
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

const PersonDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const { say, language, setLanguage } = useText()
  const { person, embedded = false } = useSession()
  const { project, href } = useProject()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const [theme, setTheme] = useState<Theme>(chosenTheme)
  const [error, setError] = useState<unknown>()
  const leave = async () => {
    try {
      await signOut()
      client.clear()
      window.location.assign(`${consoleBase}/`)
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <Dialog
      title={person.name}
      isOpen={isOpen}
      onClose={onClose}
      foot={
        <>
          <Button kind="quiet" onPress={onClose}>
            {say('close')}
          </Button>
          {!embedded && (
            <>
              <Button
                onPress={() => {
                  onClose()
                  navigate(href('/settings/account'))
                }}
              >
                {say('account')}
              </Button>
              <Button onPress={() => void leave()}>{say('signOut')}</Button>
            </>
          )}
        </>
      }
    >
      <p>
        {person.email} · {say(roleLabel(project.role))}
      </p>
      <div className={css.menuForm}>
        <Select
          label={say('language')}
          options={Object.entries(languageNames).map(([value, label]) => ({ value: value as Language, label }))}
          value={language}
          onChange={(chosen) => setLanguage(chosen)}
          dense
        />
        <Select
          label={say('theme')}
          options={themes.map((value) => ({
            value,
            label: say(value === 'system' ? 'themeSystem' : value === 'light' ? 'themeLight' : 'themeDark'),
          }))}
          value={theme}
          onChange={(chosen) => {
            chooseTheme(chosen)
            setTheme(chosen)
          }}
          note={say('keptInBrowser')}
        />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  )
}

const Navigation = ({ location, onGo }: { readonly location: string; readonly onGo?: () => void }) => {
  const { say } = useText()
  const { href } = useProject()
  const { person } = useSession()
  const links = usePages().map((item) => {
    const isHere = isWithin(location, href(item.path))
    const current = (item.below ?? [])
      .map(({ path }) => href(path))
      .filter((path) => isWithin(location, path))
      .sort((a, b) => b.length - a.length)[0]
    return (
      <div key={item.path}>
        <Link
          href={href(firstOf(item))}
          className={css.item}
          aria-current={isHere && !item.below ? 'page' : undefined}
          data-open={isHere && item.below ? true : undefined}
          onClick={onGo}
        >
          <Icon name={item.icon} />
          {say(item.label)}
        </Link>
        {isHere && item.below && (
          <div className={css.sub}>
            {item.below.map(({ path, label }) => (
              <Link
                key={path}
                href={href(path)}
                className={css.item}
                aria-current={href(path) === current ? 'page' : undefined}
                onClick={onGo}
              >
                {say(label)}
              </Link>
            ))}
          </div>
        )}
      </div>
    )
  })
  return (
    <>
      {links}
      {person.operator && (
        <Link href="/operator/reviews" className={css.item} onClick={onGo}>
          <Icon name="machine" />
          {say('opTitle')}
        </Link>
      )}
    </>
  )
}

/** The column, or below 900 px a bar; around every page of a project. */
export const Layout = ({ children }: { readonly children: ReactNode }) => {
  const { say } = useText()
  const { person } = useSession()
  const { href, project } = useProject()
  const [location] = useLocation()
  const [isPersonOpen, setPersonOpen] = useState(false)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const pages = usePages()
  const isOnline = useIsOnline()
  const { open: openPalette, palette } = usePalette()
  return (
    <div className={css.frame}>
      <a className={css.skip} href="#main">
        {say('skip')}
      </a>
      <div className={css.column}>
        <ProjectSwitcher />
        <PaletteButton hasKeys onOpen={openPalette} />
        <nav className={css.nav} aria-label={say('navigation')}>
          <Navigation location={location} />
        </nav>
        <span className={css.spring} />
        <AriaButton className={css.switcher} onPress={() => setPersonOpen(true)}>
          <span className={`${css.mark} ${css.initials}`}>{initialsOf(person.name)}</span>
          <span className={css.who}>
            <b>{person.name}</b>
            <small>{say(roleLabel(project.role))}</small>
          </span>
          <Icon name="updown" />
        </AriaButton>
      </div>
      <div className={css.content}>
        {!isOnline && (
          <div className={css.banner} role="status">
            {say('offlineBanner')}
          </div>
        )}
        {project.viewUntil !== undefined && <ViewBanner projectId={project._id} until={project.viewUntil} />}
        {children}
      </div>
      <nav className={css.bar} aria-label={say('navigation')}>
        {pages
          .filter(({ path }) => !['/automatic', '/templates', '/sending', '/developers', '/settings'].includes(path))
          .map((page) => (
            <Link
              key={page.path}
              href={href(firstOf(page))}
              className={css.barItem}
              aria-current={isWithin(location, href(page.path)) ? 'page' : undefined}
            >
              <Icon name={page.icon} size={20} />
              {say(page.label)}
            </Link>
          ))}
        <AriaButton className={css.barItem} onPress={() => setMenuOpen(true)}>
          <Icon name="menu" size={20} />
          {say('more')}
        </AriaButton>
      </nav>
      <Dialog
        title={say('more')}
        isOpen={isMenuOpen}
        onClose={() => setMenuOpen(false)}
        foot={
          <>
            <Button
              onPress={() => {
                setMenuOpen(false)
                setPersonOpen(true)
              }}
            >
              <span>{person.name}</span>
            </Button>
            <Button kind="quiet" onPress={() => setMenuOpen(false)}>
              {say('close')}
            </Button>
          </>
        }
      >
        <ProjectSwitcher />
        <PaletteButton
          onOpen={() => {
            setMenuOpen(false)
            openPalette()
          }}
        />
        <nav className={css.menuNav} aria-label={say('more')}>
          <Navigation location={location} onGo={() => setMenuOpen(false)} />
        </nav>
      </Dialog>
      {palette}
      <PersonDialog isOpen={isPersonOpen} onClose={() => setPersonOpen(false)} />
    </div>
  )
}

export const PageFrame = ({
  title,
  crumb,
  under,
  actions,
  children,
}: {
  readonly title: string
  readonly crumb?: { readonly label: string; readonly href: string }
  readonly under?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => {
  useEffect(() => {
    document.title = `${title} · Posthorn`
  }, [title])
  return (
    <>
      <header className={css.header}>
        <div className={css.title}>
          {crumb && (
            <span className={css.crumb}>
              <Link href={crumb.href}>{crumb.label}</Link>
              <Icon name="right" size={12} />
            </span>
          )}
          <h1>
            <Long>{title}</Long>
          </h1>
          {under && (
            <span className={css.under}>
              <Long lines={8}>{under}</Long>
            </span>
          )}
        </div>
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      <main className={css.main} id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
