import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { Subscription } from '../api/types.js'
import { useProject } from '../shell/session.js'
import type { Messages } from '../text/en.js'
import { useText } from '../text/text.js'
import { type MenuEntry, RowMenu } from '../ui/menu.js'
import { ErrorNote, useToast } from '../ui/states.js'

/** In ms. */
const pauseTime = 30 * 86_400_000

type Act = 'unsubscribe' | 'pause' | 'resume' | 'confirm'

const acts = {
  confirm: { label: 'memberConfirm', icon: 'mail', of: ['unverified'] },
  pause: { label: 'memberPause', icon: 'pause', of: ['active'] },
  resume: { label: 'memberResume', icon: 'retry', of: ['paused'] },
  unsubscribe: { label: 'memberUnsubscribe', icon: 'leave', of: ['active', 'paused', 'unverified'] },
} as const satisfies Readonly<
  Record<
    Act,
    Pick<MenuEntry, 'icon'> & { readonly label: keyof Messages; readonly of: readonly Subscription['status'][] }
  >
>

/** What may be done about somebody on one list. Nobody is subscribed again here: that is the person's choice. */
export const MembershipMenu = ({
  email,
  subscription,
}: {
  readonly email: string
  readonly subscription: Subscription
}) => {
  const { say } = useText()
  const { projectId, may } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [error, setError] = useState<unknown>()
  const { _id: subscriberListId, name, status } = subscription
  const possible = (Object.keys(acts) as Act[]).filter((act) => acts[act].of.some((one) => one === status))
  if (!may('contacts.edit') || possible.length === 0) return null
  const change = (body: { readonly status: 'active' | 'paused' | 'unsubscribed'; readonly pausedUntil?: string }) =>
    call(projectId, 'patch', '/subscriber-lists/{id}/subscribers/{email}', {
      params: { id: subscriberListId, email },
      body,
    })
  const carryOut = {
    confirm: () =>
      call(projectId, 'post', '/subscriber-lists/{subscriberListId}/contacts/{email}/resend-verification-email', {
        params: { subscriberListId, email },
        body: {},
      }),
    pause: () => change({ status: 'paused', pausedUntil: new Date(Date.now() + pauseTime).toISOString() }),
    resume: () => change({ status: 'active' }),
    unsubscribe: () => change({ status: 'unsubscribed' }),
  } as const satisfies Readonly<Record<Act, () => Promise<unknown>>>
  const run = async (act: Act) => {
    setError(undefined)
    try {
      await carryOut[act]()
      toast(say(act === 'confirm' ? 'memberConfirmed' : 'saved'))
      await client.invalidateQueries({ queryKey: [projectId, 'explain'] })
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <>
      <RowMenu
        label={say('actionsOn', { name })}
        entries={possible.map((act) => ({
          id: act,
          label: say(acts[act].label),
          icon: acts[act].icon,
          danger: act === 'unsubscribe',
          onAction: () => void run(act),
        }))}
      />
      {error !== undefined && <ErrorNote error={error} />}
    </>
  )
}
