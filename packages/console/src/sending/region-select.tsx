import { useText } from '../text/text.js'
import { Select } from '../ui/field.js'
import { useRegions } from './sending-queries.js'

export const RegionSelect = ({
  value,
  onChange,
  error,
}: {
  readonly value: string
  readonly onChange: (region: string) => void
  readonly error?: string | undefined
}) => {
  const { say } = useText()
  const { data = [] } = useRegions()
  return (
    <Select
      label={say('region')}
      options={data.map((region) => ({ value: region, label: region }))}
      value={value}
      onChange={onChange}
      error={error}
      dense
    />
  )
}
