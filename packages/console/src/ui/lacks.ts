import { useText } from '../text/text.js'

/** Names the fields that still lack something, as the reason why a form cannot be submitted yet. */
export const useLacks = (): ((fields: Readonly<Record<string, boolean>>) => string | undefined) => {
  const { say } = useText()
  return (fields) => {
    const names = Object.keys(fields).filter((name) => fields[name])
    return names.length === 0 ? undefined : say('stillMissing', { names: names.join(', ') })
  }
}
