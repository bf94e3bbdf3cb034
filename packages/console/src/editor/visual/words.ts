import { useText } from '../../text/text.js'
import type { Words } from './blocks.js'

export const useWords = (): Words => {
  const { say } = useText()
  return {
    text: say('visualWordText'),
    button: say('visualWordButton'),
    heading: say('visualWordHeading'),
    unsubscribe: say('visualWordUnsubscribe'),
  }
}
