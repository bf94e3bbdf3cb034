import type { DrawCaptcha } from '@posthorn/core/ports/runtime'

/** The picture contains its text. Only for tests. */
export const readableCaptcha: DrawCaptcha = (text) =>
  `<svg xmlns="http://www.w3.org/2000/svg"><text>${text}</text></svg>`

/** @throws Error for a picture not made by `readableCaptcha` */
export const readCaptchaText = (data: string): string => {
  const text = /<text>(.*)<\/text>/.exec(data)?.[1]
  if (text === undefined) throw new Error('This CAPTCHA was not drawn by readableCaptcha')
  return text
}
