import type { FileChooser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { RunningServer } from '../../../tests/server-process.js'

/** What somebody does on a page. Names are those that a screen reader says; part of a name is enough. */
export type Hand = {
  readonly page: Page
  readonly press: (name: Name, within?: Locator) => Promise<void>
  readonly follow: (name: Name, within?: Locator) => Promise<void>
  /** `at`: which of several with the same label. */
  readonly write: (label: Name, text: string, at?: number) => Promise<void>
  /** In a list that opens. */
  readonly choose: (label: Name, option: Name, at?: number) => Promise<void>
  readonly tick: (label: Name) => Promise<void>
  /** One of a few that are all visible. */
  readonly pick: (name: Name) => Promise<void>
  readonly menu: (button: Name, entry: Name) => Promise<void>
  readonly actOn: (row: string, entry: string) => Promise<void>
  /** In a tree. */
  readonly select: (row: Name) => Promise<void>
  readonly upload: (button: Name, path: string) => Promise<void>
  /** Replaces the content of an editor, and stays in it. */
  readonly edit: (editor: Name, text: string) => Promise<void>
  /** At the end of an editor's content. */
  readonly append: (editor: Name, text: string) => Promise<void>
}

type Name = string | RegExp

const buttonIn = (page: Page, name: Name, within?: Locator) =>
  (within ?? page).getByRole('button', { name, exact: typeof name === 'string' }).first()
const linkIn = (page: Page, name: Name, within?: Locator) =>
  (within ?? page).getByRole('link', { name, exact: typeof name === 'string' }).first()
const fieldIn = (page: Page, label: Name, at = 0) =>
  page
    .getByLabel(label, { exact: typeof label === 'string' })
    .and(page.locator('input, textarea, [contenteditable]'))
    .nth(at)
const listIn = (page: Page, label: Name, at = 0) =>
  page.getByRole('button', { name: label }).and(page.locator('[aria-haspopup=listbox]')).nth(at)

const menuItemIn = (page: Page, name: Name) => page.getByRole('menuitem', { name, exact: typeof name === 'string' })
const rowIn = (page: Page, name: Name) => page.getByRole('treegrid').getByRole('row', { name }).first()
const optionIn = (page: Page, name: Name) => page.getByRole('option', { name, exact: typeof name === 'string' }).first()

const append = async (page: Page, text: string) => {
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.insertText(text)
}

export const mouse = (page: Page): Hand => ({
  page,
  press: (name, within) => buttonIn(page, name, within).click(),
  follow: (name, within) => linkIn(page, name, within).click(),
  write: (label, text, at) => fieldIn(page, label, at).fill(text),
  choose: async (label, option, at) => {
    await listIn(page, label, at).click()
    await optionIn(page, option).click()
  },
  // The input itself is hidden below the box that people see.
  tick: (label) =>
    page
      .locator('label')
      .filter({ has: page.getByRole('checkbox', { name: label }) })
      .first()
      .click(),
  pick: (name) =>
    page
      .getByRole('radio', { name, exact: typeof name === 'string' })
      .first()
      .click(),
  menu: async (button, entry) => {
    await buttonIn(page, button).click()
    await menuItemIn(page, entry).click()
  },
  actOn: (row, entry) => mouse(page).menu(`Actions on ${row}`, entry),
  select: (row) => rowIn(page, row).click(),
  upload: async (name, path) => {
    const chooser = page.waitForEvent('filechooser')
    await buttonIn(page, name).click()
    await (await chooser).setFiles(path)
  },
  edit: async (editor, text) => {
    await fieldIn(page, editor).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
  },
  append: async (editor, text) => {
    await fieldIn(page, editor).click()
    await append(page, text)
  },
})

/** More than any page has. */
const mostTabs = 300

/** Whether somebody sees where the focus is: a ring in the window. */
const showsFocus = `(() => {
  const element = document.activeElement
  const { top, bottom, left, right } = element.getBoundingClientRect()
  const isInWindow = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
  const around = [element, ...element.children, element.parentElement, element.parentElement.parentElement]
  const hasRing = around.some((one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
  })
  return element.matches(':focus-visible') && isInWindow && hasRing
})()`

export const keyboard = (page: Page): Hand => {
  const keys = page.keyboard
  const hasFocus = async (target: Locator) => (await target.and(page.locator(':focus')).count()) > 0
  /** An editor of code draws its ring a moment after the focus. */
  const assertVisible = async (target: Locator) => {
    const message = `The focus on ${String(target)} is seen`
    await expect.poll(() => page.evaluate(showsFocus), { message }).toBe(true)
  }
  const reach = async (target: Locator) => {
    await target.waitFor({ state: 'attached' })
    await expect.poll(() => target.isEnabled()).toBe(true)
    for (let tabs = 0; tabs < mostTabs; tabs += 1) {
      if (await hasFocus(target)) return assertVisible(target)
      await keys.press('Tab')
    }
    throw new Error(`Tab does not reach ${String(target)}`)
  }
  /** Whatever of it Tab leads to. */
  const reachIn = async (target: Locator) => {
    for (let tabs = 0; tabs < mostTabs; tabs += 1) {
      if ((await target.locator(':focus').count()) > 0) return
      await keys.press('Tab')
    }
    throw new Error(`Tab does not reach ${String(target)}`)
  }
  const step = async (target: Locator) => {
    for (let steps = 0; steps < mostTabs; steps += 1) {
      if (await hasFocus(target)) return assertVisible(target)
      await keys.press('ArrowDown')
    }
    throw new Error(`The arrows do not reach ${String(target)}`)
  }
  /** In a list or menu that is open. */
  const take = async (option: Locator) => {
    await option.waitFor()
    await keys.press('Home')
    await step(option)
    await keys.press('Enter')
  }
  const open = async (target: Locator) => {
    await reach(target)
    await keys.press('Enter')
  }
  const retype = async (text: string) => {
    await keys.press('ControlOrMeta+a')
    await keys.insertText(text)
  }
  return {
    page,
    press: (name, within) => open(buttonIn(page, name, within)),
    follow: (name, within) => open(linkIn(page, name, within)),
    write: async (label, text, at) => {
      await reach(fieldIn(page, label, at))
      await retype(text)
    },
    choose: async (label, option, at) => {
      await open(listIn(page, label, at))
      await take(optionIn(page, option))
    },
    tick: async (label) => {
      await reach(page.getByRole('checkbox', { name: label }).first())
      await keys.press('Space')
    },
    pick: async (name) => {
      const choice = page.getByRole('radio', { name, exact: typeof name === 'string' }).first()
      await reach(page.getByRole('radiogroup').filter({ has: choice }).getByRole('radio').first())
      while (!(await hasFocus(choice))) await keys.press('ArrowRight')
      await keys.press('Space')
    },
    menu: async (button, entry) => {
      await open(buttonIn(page, button))
      await take(menuItemIn(page, entry))
    },
    actOn: (row, entry) => keyboard(page).menu(`Actions on ${row}`, entry),
    select: async (row) => {
      const target = rowIn(page, row)
      await target.waitFor()
      await reachIn(page.getByRole('treegrid'))
      await keys.press('Home')
      await step(target)
      await keys.press('Space')
    },
    upload: async (name, path) => {
      const chooser: Promise<FileChooser> = page.waitForEvent('filechooser')
      await open(buttonIn(page, name))
      await (await chooser).setFiles(path)
    },
    edit: async (editor, text) => {
      await reach(fieldIn(page, editor))
      await retype(text)
    },
    append: async (editor, text) => {
      await reach(fieldIn(page, editor))
      await append(page, text)
    },
  }
}

/** Follows the link that a new server prints, and ends on the start page of its project. */
export const becomeOwner = async ({ page, write, press }: Hand, server: RunningServer): Promise<void> => {
  const [, link = ''] = /^(http:\S+\/console\/setup#\S+)$/m.exec(server.printed()) ?? []
  await page.goto(link)
  await write('Name', 'Olga Owner')
  await write('Email', 'olga@example.com')
  await write('Password', 'correct horse battery')
  await press('Create the owner')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}
