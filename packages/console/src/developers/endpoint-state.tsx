import type { WebhookEndpoint } from '../api/types.js'
import { useText } from '../text/text.js'
import { Badge } from '../ui/states.js'

export const EndpointState = ({
  endpoint: { disabled, failing },
  filled = false,
}: {
  readonly endpoint: WebhookEndpoint
  readonly filled?: boolean
}) => {
  const { say, dateTime } = useText()
  if (disabled)
    return (
      <Badge tone="plain" icon="pause" filled={filled}>
        {say('hookOffSince', { time: dateTime(disabled.since) })}
      </Badge>
    )
  if (failing)
    return (
      <Badge tone="warning" icon="warning" filled={filled}>
        {say('hookFailingSince', { time: dateTime(failing.since) })}
      </Badge>
    )
  return (
    <Badge tone="good" icon="check" filled={filled}>
      {say('hookWorks')}
    </Badge>
  )
}
