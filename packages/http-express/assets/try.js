import { all, element, one, remembered } from './dom.js'

/** Where the API is: below the path that the server is mounted at, on the host that this page came from. */
const root = location.origin + document.documentElement.dataset.mount

const project = remembered(sessionStorage, 'project')
const key = remembered(sessionStorage, 'key')

/* What stands in place of samples */

const known = new Map()
const projectSample = one('#credentials [name=project]').placeholder
const actual = (text) => [...known].reduce((given, [sample, id]) => given.replaceAll(sample, id), text)
const showKnown = () => {
  for (const mark of all('[data-sample]')) mark.textContent = known.get(mark.dataset.sample) ?? mark.dataset.sample
  for (const field of all('.try [data-example]'))
    if (!field.dataset.changed) field.value = actual(field.dataset.example)
}
for (const mark of all('[data-base]')) mark.textContent = root

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
  described ??= fetch(`${root}/v1/openapi.json`).then((answer) => answer.json())
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
  const response = await fetch(`${root}${url}`, {
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
