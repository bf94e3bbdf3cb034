import type { DrawCaptcha } from '@posthorn/core/ports'

/** A CAPTCHA that says its text, for tests alone. */
export const readableCaptcha: DrawCaptcha = (text) =>
  `<svg xmlns="http://www.w3.org/2000/svg"><text>${text}</text></svg>`

/** The text of such a picture. @throws Error for another picture */
export const textOfCaptcha = (data: string): string => {
  const text = /<text>(.*)<\/text>/.exec(data)?.[1]
  if (text === undefined) throw new Error('This CAPTCHA was not drawn by readableCaptcha')
  return text
}
