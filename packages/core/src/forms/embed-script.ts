import { wrongCaptchaMessage } from '../captcha/captchas.js'
import { proofOfWorkScript } from './proof-of-work-script.js'

export const inputPrefix = 'ph-'

/**
 * Runs in the browser. The same for every form: the policy allows it by digest; settings come from the JSON beside it.
 */
export const embedScript = `
(() => {
  const root = document.currentScript.parentElement
  const part = (name) => root.querySelector('[data-ph="' + name + '"]')
  const { base, id, language, isFixed, texts } = JSON.parse(part('settings').textContent)
  const asked = (navigator.languages || []).map((tag) => tag.split('-')[0].toLowerCase())
  const spoken = (isFixed && language) || asked.find((code) => Object.hasOwn(texts, code)) || language
  const say = texts[spoken]
  const [form, note, button, done] = ['form', 'alert', 'button', 'done'].map(part)
  const [image, again, solution, check] = ['image', 'again', 'solution', 'check'].map(part)
  const freshFor = { image: 4 * 60 * 1000, work: 8 * 60 * 1000 }
  let probe
  let drawnAt = 0
  let work
  let busy = false
  const wrongCaptcha = ${JSON.stringify(wrongCaptchaMessage)}
${proofOfWorkScript}
  const all = (name) => root.querySelectorAll('[data-ph-' + name + ']')
  if (spoken !== language) {
    for (const node of all('say')) Object.assign(node, { lang: spoken, textContent: say[node.dataset.phSay] })
    for (const input of all('placeholder')) input.placeholder = say[input.dataset.phPlaceholder]
    for (const node of all('label'))
      for (const name of ['alt', 'aria-label', 'title'])
        if (node.hasAttribute(name)) node.setAttribute(name, say[node.dataset.phLabel])
  }
  const ask = async (path, options) => {
    let answer, body
    try {
      answer = await fetch(base + path, { credentials: 'omit', cache: 'no-store', ...options })
      body = await answer.json()
    } catch {
      throw new Error(say.formUnreachable)
    }
    if (!answer.ok) throw new Error(body.error.message)
    return body.result
  }

  const drawCaptcha = async () => {
    probe = undefined
    solution.value = ''
    image.removeAttribute('src')
    try {
      const drawn = await ask('/v1/captcha')
      image.src = 'data:image/svg+xml,' + encodeURIComponent(drawn.data)
      probe = drawn.probe
      drawnAt = Date.now()
    } catch (error) {
      note.textContent = error.message
    }
  }

  const prove = () => {
    if (work && Date.now() - work.begunAt < freshFor.work) return work.token
    check.textContent = say.formChecking
    const token = ask('/v1/challenge?signupFormId=' + id).then(solve)
    const mine = work = { begunAt: Date.now(), token }
    token.then(
      () => { if (work === mine) check.textContent = say.formChecked },
      () => {
        if (work !== mine) return
        work = undefined
        check.textContent = ''
      },
    )
    return token
  }
  const proveAhead = () => prove().catch(() => {})

  const renewCaptcha = async (message) => {
    if (window.turnstile) window.turnstile.reset()
    if (check) {
      work = undefined
      proveAhead()
    }
    if (!image) return
    await drawCaptcha()
    if (message === wrongCaptcha) solution.focus()
  }

  const valueOf = (field) => {
    if (field.type === 'checkbox') return field.checked
    const text = field.value.trim()
    if (text === '') return undefined
    return field.type === 'number' ? Number(text) : text
  }

  const values = async () => {
    const fields = [...form.elements].filter(({ name }) => name.startsWith('${inputPrefix}'))
    const entries = fields.map((field) => [field.name.slice(${inputPrefix.length}), valueOf(field)])
    const proof = check && { challengeToken: await prove() }
    return JSON.stringify({ ...Object.fromEntries(entries), captchaProbe: probe, ...proof })
  }

  const finish = (redirectTo) => {
    if (/^https?:/i.test(redirectTo)) {
      if (!window.open(redirectTo, '_top')) location.assign(redirectTo)
      return
    }
    form.hidden = true
    done.hidden = false
    done.focus()
  }

  const setBusy = (now) => {
    busy = now
    button.setAttribute('aria-disabled', String(now))
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    note.textContent = ''
    const headers = { 'content-type': 'application/json' }
    try {
      const { redirectTo } = await ask('/v1/signup-forms/' + id, { method: 'POST', headers, body: await values() })
      finish(redirectTo)
    } catch (error) {
      note.textContent = error.message === wrongCaptcha ? say.formCaptchaWrong : error.message
      await renewCaptcha(error.message)
      setBusy(false)
    }
  })

  if (check) form.addEventListener('focusin', proveAhead)

  if (image) {
    again.addEventListener('click', async () => {
      note.textContent = ''
      await drawCaptcha()
      solution.focus()
    })
    solution.addEventListener('focus', () => {
      if (probe && Date.now() - drawnAt > freshFor.image && solution.value === '') drawCaptcha()
    })
    drawCaptcha()
  }
})()
`
