import type { DrawCaptcha } from '@posthorn/core/ports/runtime'

/** A CAPTCHA picture that contains its text in readable form. Only for tests. */
export const readableCaptcha: DrawCaptcha = (text) =>
  `<svg xmlns="http://www.w3.org/2000/svg"><text>${text}</text></svg>`

/** The text of a picture made by `readableCaptcha`. @throws Error for any other picture */
export const readCaptchaText = (data: string): string => {
  const text = /<text>(.*)<\/text>/.exec(data)?.[1]
  if (text === undefined) throw new Error('This CAPTCHA was not drawn by readableCaptcha')
  return text
}
