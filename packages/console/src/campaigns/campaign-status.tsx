import type { Campaign } from '../api/types.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { Icon, type IconName } from '../ui/icons.js'
import { Badge, type Tone } from '../ui/states.js'

export type Status = Campaign['status']

const looks: Readonly<Record<Status, readonly [Tone, IconName, keyof Messages]>> = {
  draft: ['plain', 'pencil', 'statusDraft'],
  scheduled: ['plain', 'calendar', 'statusScheduled'],
  'being-sent': ['running', 'send', 'statusBeingSent'],
  sent: ['good', 'check', 'statusSent'],
  error: ['badly', 'warning', 'statusStopped'],
  archive: ['plain', 'archive', 'statusArchive'],
}

export const StatusBadge = ({ status, filled = false }: { readonly status: Status; readonly filled?: boolean }) => {
  const { say } = useText()
  const [tone, icon, label] = looks[status]
  return (
    <Badge tone={tone} icon={icon} filled={filled}>
      {say(label)}
    </Badge>
  )
}

/** In place of words where there is no room for them. */
export const StatusIcon = ({ status }: { readonly status: Status }) => <Icon name={looks[status][1]} size={13} />

export const statusLabel = (status: Status): keyof Messages => looks[status][2]

/** It has recipients: there is something to count. */
export const hasRun = (status: Status): boolean => ['being-sent', 'sent', 'error'].includes(status)
