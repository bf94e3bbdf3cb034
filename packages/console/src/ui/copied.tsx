import { useText } from '../text/text.js'
import { Button } from './button.js'
import css from './copied.module.css'
import { useToast } from './states.js'

export const useCopy = () => {
  const { say } = useText()
  const toast = useToast()
  return (text: string) => void navigator.clipboard?.writeText(text).then(() => toast(say('copied')))
}

export const Copied = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const copy = useCopy()
  return (
    <span className={css.copied}>
      <code>{text}</code>
      <Button kind="quiet" small icon="copy" aria-label={label} onPress={() => copy(text)} />
    </span>
  )
}
