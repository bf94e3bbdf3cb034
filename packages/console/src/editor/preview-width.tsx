import { useText } from '../text/text.js'
import { Segmented } from '../ui/button.js'

const looks = { wide: ['wide', 'screen'], narrow: ['narrow', 'phone'], text: ['plainText', 'list'] } as const
export type PreviewWidth = keyof typeof looks

export const cssWidthOf = (width: PreviewWidth): string => (width === 'narrow' ? '390px' : '100%')

export const PreviewWidthChoice = <Width extends PreviewWidth>({
  widths,
  value,
  onChange,
}: {
  readonly widths: readonly Width[]
  readonly value: Width
  readonly onChange: (width: Width) => void
}) => {
  const { say } = useText()
  return (
    <Segmented
      label={say('previewWidth')}
      value={value}
      onChange={onChange}
      iconsOnly
      choices={widths.map((width) => ({ value: width, label: say(looks[width][0]), icon: looks[width][1] }))}
    />
  )
}
