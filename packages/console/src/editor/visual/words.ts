import type { Messages } from '../../text/en.js'
import { useText } from '../../text/text.js'
import type { Words } from './blocks.js'

export const wordsIn = (say: (key: keyof Messages) => string): Words => ({
  text: say('visualWordText'),
  button: say('visualWordButton'),
  heading: say('visualWordHeading'),
})

export const useWords = (): Words => wordsIn(useText().say)
