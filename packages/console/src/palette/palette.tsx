import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  Dialog as AriaDialog,
  Autocomplete,
  Button,
  Collection,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import { useLocation } from 'wouter'
import { call } from '../api/client.js'
import { collectItems, maxPageSize, useLists, useSegments } from '../api/records.js'
import { explainHref } from '../deliveries/mail-filters.js'
import { usePages } from '../shell/pages.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Icon } from '../ui/icons.js'
import { useSettled } from '../ui/settled.js'
import { creations, type Entry, looksLikeAddress, matches, type Section } from './entries.js'
import css from './palette.module.css'

/** In ms after the last key. */
const findDelay = 150
/** Lines of one kind. */
const mostFound = 6

/** In ms; names change rarely. */
const nameTime = 60_000

const useFound = (text: string) => {
  const { projectId, may } = useProject()
  const find = useSettled(text.trim(), findDelay)
  const isAsked = find !== ''
  const contacts = useQuery({
    queryKey: [projectId, 'palette-contacts', find],
    queryFn: ({ signal }) => call(projectId, 'get', '/contacts', { query: { limit: mostFound, find }, signal }),
    enabled: isAsked && may('addresses.read'),
    placeholderData: keepPreviousData,
  })
  const campaigns = useQuery({
    queryKey: [projectId, 'palette-campaigns', find],
    queryFn: ({ signal }) => call(projectId, 'get', '/campaigns', { query: { limit: mostFound, find }, signal }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  const forms = useQuery({
    queryKey: [projectId, 'forms', 'all'],
    queryFn: ({ signal }) =>
      collectItems((skip) => call(projectId, 'get', '/signup-forms', { query: { limit: maxPageSize, skip }, signal })),
    staleTime: nameTime,
  })
  const templates = useQuery({
    queryKey: [projectId, 'templates', 'all'],
    queryFn: ({ signal }) =>
      collectItems((skip) => call(projectId, 'get', '/templates', { query: { limit: maxPageSize, skip }, signal })),
    staleTime: nameTime,
  })
  return {
    find,
    contacts: contacts.data?.items ?? [],
    campaigns: campaigns.data?.items ?? [],
    forms: forms.data ?? [],
    templates: templates.data ?? [],
  }
}

const useSections = (text: string): readonly Section[] => {
  const { say } = useText()
  const { may } = useProject()
  const pages = usePages()
  const { projectId } = useProject()
  const lists = useLists(projectId)
  const segments = useSegments(projectId)
  const found = useFound(text)
  const wanted = text.trim()
  const isHere = (path: string) =>
    pages.some((page) => page.path === path || page.below?.some((one) => one.path === path))
  const named = (
    records: readonly { readonly _id: string; readonly name: string }[],
    entry: Pick<Entry, 'icon' | 'under'>,
    pathOf: (id: string) => string,
  ): readonly Entry[] =>
    records
      .filter(({ name }) => matches(name, wanted))
      .slice(0, mostFound)
      .map(({ _id, name }) => ({ id: pathOf(_id), label: name, path: pathOf(_id), ...entry }))

  const explain = (email: string) => explainHref((path) => path, email)
  const addresses = found.contacts
    .filter(({ email }) => matches(email, wanted))
    .map(
      ({ email, name }): Entry => ({
        id: explain(email),
        label: say('paletteExplain', { email }),
        under: name,
        icon: 'people',
        path: explain(email),
      }),
    )
  const isUnknown =
    looksLikeAddress(wanted) && !found.contacts.some(({ email }) => email.toLowerCase() === wanted.toLowerCase())
  const unknown: readonly Entry[] =
    isUnknown && may('addresses.read')
      ? [
          {
            id: explain(wanted),
            label: say('paletteExplain', { email: wanted }),
            icon: 'search',
            path: explain(wanted),
          },
        ]
      : []
  const records =
    wanted === ''
      ? []
      : [
          ...named(found.campaigns, { icon: 'send', under: say('campaign') }, (id) => `/campaigns/${id}`),
          ...named(lists.data ?? [], { icon: 'list', under: say('list') }, (id) => `/audience/contacts?list=${id}`),
          ...named(segments.data ?? [], { icon: 'segment', under: say('segment') }, (id) => `/audience/segments/${id}`),
          ...named(found.forms, { icon: 'screen', under: say('form') }, (id) => `/audience/forms/${id}`),
          ...(isHere('/templates')
            ? named(found.templates, { icon: 'pencil', under: say('template') }, (id) => `/templates/${id}`)
            : []),
        ]
  const goTo = pages.flatMap(({ path, label, icon, below }): readonly Entry[] =>
    below
      ? below.map((one) => ({ id: one.path, label: say(one.label), under: say(label), icon, path: one.path }))
      : [{ id: path, label: say(label), icon, path }],
  )
  const create = creations
    .filter(({ page, permission }) => isHere(page) && may(permission))
    .map(
      ({ label, page, search }): Entry => ({
        id: `${page}?${search}`,
        label: say(label),
        icon: 'plus',
        path: `${page}?${search}`,
      }),
    )
  const matching = (entries: readonly Entry[]) =>
    entries.filter(({ label, under = '' }) => matches(`${label} ${under}`, wanted))
  const sections: readonly Section[] = [
    { id: 'addresses', title: 'paletteAddresses', entries: wanted === '' ? [] : [...addresses, ...unknown] },
    { id: 'records', title: 'paletteRecords', entries: records },
    { id: 'pages', title: 'paletteGoTo', entries: matching(goTo) },
    { id: 'create', title: 'paletteCreate', entries: matching(create) },
  ]
  return sections.filter(({ entries }) => entries.length > 0)
}

export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const { say } = useText()
  const { href } = useProject()
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const sections = useSections(text)
  const open = (path: string) => {
    onClose()
    navigate(href(path))
  }
  return (
    <ModalOverlay
      className={css.overlay}
      isOpen
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
    >
      <Modal className={css.modal}>
        <AriaDialog className={css.dialog} aria-label={say('palette')}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField
              className={css.search}
              aria-label={say('paletteOpen')}
              autoFocus
              onKeyDown={(event) => {
                if (event.key === 'Escape') onClose()
              }}
            >
              <Icon name="search" size={18} />
              <Input className={css.input} placeholder={say('palettePlaceholder')} maxLength={200} />
              <Button slot={null} className={css.key} onPress={onClose}>
                {say('close')}
              </Button>
            </SearchField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
            <div className={css.list} tabIndex={0}>
              <ListBox
                className={css.options}
                aria-label={say('palette')}
                items={sections}
                selectionMode="none"
                onAction={(key) => open(String(key))}
                renderEmptyState={() => <p className={css.none}>{say('paletteNothing')}</p>}
              >
                {(section) => (
                  <ListBoxSection id={section.id}>
                    <Header className={css.title}>{say(section.title)}</Header>
                    <Collection items={section.entries}>
                      {({ id, label, under = '', icon }) => (
                        <ListBoxItem id={id} className={css.entry} textValue={label}>
                          <Icon name={icon} />
                          <span className={css.label}>{label}</span>
                          {under !== '' && <span className={css.under}>{under}</span>}
                          <span className={css.enter} aria-hidden="true">
                            ↵
                          </span>
                        </ListBoxItem>
                      )}
                    </Collection>
                  </ListBoxSection>
                )}
              </ListBox>
            </div>
          </Autocomplete>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
