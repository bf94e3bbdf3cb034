/** What the reader chose and gave: colours in this browser, the rest in this tab. */
const remembered = (storage, name) => ({
  get: () => storage.getItem(name) ?? '',
  set: (value) => storage.setItem(name, value),
})
const scheme = remembered(localStorage, 'scheme')
const language = remembered(localStorage, 'language')
const project = remembered(sessionStorage, 'project')
const key = remembered(sessionStorage, 'key')

const all = (selector, within = document) => [...within.querySelectorAll(selector)]
const one = (selector, within = document) => within.querySelector(selector)

/** An element with these properties and children. */
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

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

/* What stands in place of samples */

const known = new Map()
const projectSample = one('#credentials [name=project]').placeholder
const actual = (text) => [...known].reduce((given, [sample, id]) => given.replaceAll(sample, id), text)
const showKnown = () => {
  for (const mark of all('[data-sample]')) mark.textContent = known.get(mark.dataset.sample) ?? mark.dataset.sample
  for (const field of all('.try [data-example]'))
    if (!field.dataset.changed) field.value = actual(field.dataset.example)
}
for (const mark of all('[data-base]')) mark.textContent = location.origin

const credentials = one('#credentials')
const takeCredentials = () => {
  if (project.get()) known.set(projectSample, project.get())
  else known.delete(projectSample)
  showKnown()
}
for (const [name, store] of Object.entries({ project, key })) {
  const input = one(`[name=${name}]`, credentials)
  input.value = store.get()
  input.addEventListener('input', () => {
    store.set(input.value.trim())
    takeCredentials()
  })
}
credentials.addEventListener('submit', (event) => event.preventDefault())
takeCredentials()

/* Trying */

let described
const description = () => {
  described ??= fetch('/v1/openapi.json').then((answer) => answer.json())
  return described
}

const field = (label, example, properties = {}, name = 'input') => {
  const input = element(name, { spellcheck: false, ...properties })
  input.dataset.example = typeof example === 'string' ? example : String(example ?? '')
  input.value = actual(input.dataset.example)
  input.addEventListener('input', () => {
    input.dataset.changed = 'true'
  })
  return { input, label: element('label', {}, element('span', { textContent: label }), input) }
}

const parameterFields = ({ parameters = [] }) =>
  parameters.map((parameter) => ({
    ...parameter,
    ...field(parameter.name, parameter.example, { placeholder: parameter.required ? 'needed' : '' }),
  }))

const formFields = ({ schema, example = {} }, schemas) => {
  const name = schema.$ref?.split('/').at(-1)
  return Object.entries((name ? schemas[name] : schema).properties).map(([part, type]) => ({
    part,
    ...(type.format === 'binary' ? field(part, '', { type: 'file' }) : field(part, example[part])),
  }))
}

const bodyFields = ({ requestBody }, schemas) => {
  const [media] = Object.entries(requestBody?.content ?? {})
  if (!media) return { labels: [], read: () => undefined }
  const [type, content] = media
  if (type === 'application/json') {
    const text = JSON.stringify(content.example ?? {}, null, 2)
    const { input, label } = field('Body', text, { rows: Math.min(16, text.split('\n').length + 1) }, 'textarea')
    return { labels: [label], read: () => input.value }
  }
  const fields = formFields(content, schemas)
  return {
    labels: fields.map(({ label }) => label),
    read: () => {
      const form = new FormData()
      for (const { part, input } of fields)
        if (input.type === 'file') {
          if (input.files[0]) form.append(part, input.files[0])
        } else if (input.value !== '') form.append(part, input.value)
      return form
    },
  }
}

const urlOf = (path, fields) => {
  const filled = fields
    .filter((given) => given.in === 'path')
    .reduce((url, { name, input }) => url.replace(`{${name}}`, encodeURIComponent(input.value)), path)
  const query = fields
    .filter((given) => given.in === 'query' && given.input.value !== '')
    .map(({ name, input }) => `${name}=${encodeURIComponent(input.value)}`)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

const send = async (method, url, body) => {
  const started = performance.now()
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: {
      ...(key.get() && { authorization: `Bearer ${key.get()}` }),
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
  })
  const text = await response.text()
  return { response, text, took: Math.round(performance.now() - started) }
}

const asJson = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const learn = (makes, answer) => {
  const id = answer?.result?._id ?? answer?.result?.items?.[0]?._id
  if (!makes || !id) return
  known.set(makes, id)
  showKnown()
}

const tryForm = (article, operation, schemas) => {
  const { method, path, makes } = article.dataset
  const fields = parameterFields(operation)
  const body = bodyFields(operation, schemas)
  const button = element('button', { type: 'submit', textContent: 'Send' })
  const status = element('p', { className: 'status', role: 'status' })
  const shown = element('pre', { tabIndex: 0, hidden: true, ariaLabel: 'The answer' })
  const isMain = ({ required, example }) => required || example !== undefined
  const others = fields.filter((given) => !isMain(given)).map(({ label }) => label)
  const form = element(
    'form',
    {},
    ...fields.filter(isMain).map(({ label }) => label),
    ...(others.length > 0
      ? [element('details', { className: 'more' }, element('summary', { textContent: 'More parameters' }), ...others)]
      : []),
    ...body.labels,
    element('p', {}, button),
    status,
    shown,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    status.textContent = 'Sending …'
    try {
      const { response, text, took } = await send(method, urlOf(path, fields), body.read())
      const answer = asJson(text)
      status.textContent = `${response.status} ${response.statusText}, ${took} ms`
      status.dataset.ok = String(response.ok)
      shown.textContent = answer === undefined ? text : JSON.stringify(answer, null, 2)
      shown.hidden = false
      if (response.ok) learn(makes, answer)
    } catch {
      status.textContent = 'The server could not be reached'
      status.dataset.ok = 'false'
    }
    button.disabled = false
  })
  return form
}

for (const article of all('main article')) {
  const details = element('details', {}, element('summary', { textContent: 'Try it' }))
  details.addEventListener(
    'toggle',
    async () => {
      const { paths, components } = await description()
      const { method, path } = article.dataset
      details.append(tryForm(article, paths[path][method], components.schemas))
    },
    { once: true },
  )
  one('.try', article).append(details)
}
