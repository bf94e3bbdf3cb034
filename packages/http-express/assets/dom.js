/** What the reader chose and gave: colours in this browser, the rest in this tab. */
export const remembered = (storage, name) => ({
  get: () => storage.getItem(name) ?? '',
  set: (value) => storage.setItem(name, value),
})
export const all = (selector, within = document) => [...within.querySelectorAll(selector)]
export const one = (selector, within = document) => within.querySelector(selector)

/** An element with these properties and children. */
export const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}
