import { all, element, one, remembered } from './dom.js'
import './try.js'

const scheme = remembered(localStorage, 'scheme')
const language = remembered(localStorage, 'language')

/* Colours */

const schemeButton = one('#scheme')
const isDark = () =>
  (scheme.get() || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
const showScheme = () => {
  schemeButton.textContent = isDark() ? 'Light' : 'Dark'
}
schemeButton.addEventListener('click', () => {
  scheme.set(isDark() ? 'light' : 'dark')
  document.documentElement.dataset.scheme = scheme.get()
  showScheme()
})
showScheme()

/* Language of the examples */

const choose = (name) => {
  document.body.dataset.show = name
  language.set(name)
  for (const button of all('[data-choose]')) button.setAttribute('aria-pressed', String(button.dataset.choose === name))
}
for (const button of all('[data-choose]')) button.addEventListener('click', () => choose(button.dataset.choose))
if (language.get()) choose(language.get())

for (const figure of all('.code')) {
  const copy = element('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(one('code', figure).textContent)
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy'
    }, 1500)
  })
  one('figcaption', figure).append(copy)
}

/* Menu and search */

const menuButton = one('#open-menu')
const showMenu = (open) => {
  document.body.classList.toggle('menu-open', open)
  menuButton.setAttribute('aria-expanded', String(open))
}
menuButton.addEventListener('click', () => showMenu(!document.body.classList.contains('menu-open')))
for (const link of all('#menu a')) link.addEventListener('click', () => showMenu(false))

const search = one('#search')
const entries = all('#menu li[data-words]').map((item) => ({
  item,
  article: document.getElementById(one('a', item).hash.slice(1)),
}))
const filter = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const { item, article } of entries) {
    const fits = words.every((word) => item.dataset.words.includes(word))
    item.hidden = !fits
    article.hidden = !fits
    if (fits) count += 1
  }
  for (const group of all('#menu section, main .resource'))
    group.hidden = all('li[data-words], article', group).every(({ hidden }) => hidden)
  for (const other of all('#start, #errors, #schemas')) other.hidden = words.length > 0
  one('#found').textContent = words.length === 0 ? '' : `${count} of ${entries.length} endpoints`
}
search.addEventListener('input', filter)
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    showMenu(true)
    search.focus()
  }
  if (event.key === 'Escape' && event.target === search) {
    search.value = ''
    filter()
  }
})

const links = new Map(all('#menu li a').map((link) => [link.hash.slice(1), link]))
const seen = new IntersectionObserver(
  (changes) => {
    const entered = changes.find(({ isIntersecting }) => isIntersecting)
    if (!entered) return
    for (const link of links.values()) link.removeAttribute('aria-current')
    links.get(entered.target.id)?.setAttribute('aria-current', 'true')
  },
  { rootMargin: '-15% 0px -80% 0px' },
)
for (const target of all('main article, #start, #errors, #schemas')) seen.observe(target)

/** Schemas are folded: one that a link leads to opens. */
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1))
  if (target instanceof HTMLDetailsElement) target.open = true
}
addEventListener('hashchange', openTarget)
openTarget()
