import { useState } from 'react'
import { call } from '../api/client.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { FormDialog } from '../ui/dialog.js'
import { ErrorNote } from '../ui/states.js'
import { checkedFields } from './cloud-credentials.js'
import { type Settings, type useSaveSettings, useSettings } from './project-queries.js'
import css from './settings.module.css'

const RemoveDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { say } = useText()
  const { projectId } = useProject()
  const { refetch } = useSettings()
  return (
    <FormDialog
      title={say('setCloudRemoveTitle')}
      isOpen
      onClose={onClose}
      submit={say('removeDo')}
      danger
      onSubmit={async () => {
        await call(projectId, 'patch', '', { body: { cloudConfig: null } })
        await refetch()
      }}
    >
      <p>{say('setCloudRemoveText')}</p>
    </FormDialog>
  )
}

export const UseStep = ({
  project,
  isBusy,
  error,
  save,
}: { readonly project: Settings } & ReturnType<typeof useSaveSettings>) => {
  const { say } = useText()
  const [isRemoving, setRemoving] = useState(false)
  const isUsed = project.status === 'byoCloudSes'
  return (
    <section className={css.step} aria-labelledby="cloud-use">
      <h2 id="cloud-use">4. {say('setCloudUse')}</h2>
      <p>{say(isUsed ? 'setCloudUsedText' : 'setCloudUseText')}</p>
      {error !== undefined && <ErrorNote error={error} except={checkedFields} />}
      {!isUsed && (
        <div className={css.buttons}>
          <Button kind="primary" isDisabled={isBusy} onPress={() => void save({ status: 'byoCloudSes' })}>
            {isBusy ? say('working') : say('setCloudUseDo')}
          </Button>
          <Button danger onPress={() => setRemoving(true)}>
            {say('setCloudRemove')}
          </Button>
        </div>
      )}
      {isRemoving && <RemoveDialog onClose={() => setRemoving(false)} />}
    </section>
  )
}
