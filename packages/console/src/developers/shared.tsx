import { consoleBase } from '../api/client.js'
import { useText } from '../text/text.js'
import css from './developers.module.css'

/** The reference that the server itself has, in a window of its own. */
export const ReferenceLink = () => {
  const { say } = useText()
  return (
    <a className={css.reference} href={consoleBase.replace(/console$/, 'docs')} target="_blank" rel="noreferrer">
      {say('apiReference')}
    </a>
  )
}
