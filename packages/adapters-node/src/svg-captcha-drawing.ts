import type { DrawCaptcha } from '@posthorn/core'
import svgCaptcha from 'svg-captcha'

type Look = { readonly width: number; readonly height: number; readonly fontSize: number; readonly noise: number }

/** The package is a function, which its own type declarations leave out. Its text generator is not used: the core chooses the text. */
const draw = svgCaptcha as unknown as (text: string, look: Look) => string

/** Shaken dark letters behind two lines, on nothing: to be shown on a light ground. */
export const svgCaptchaDrawing: DrawCaptcha = (text) => draw(text, { width: 220, height: 64, fontSize: 54, noise: 2 })
