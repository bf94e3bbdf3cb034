import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { BodyOf, ResponseOf } from '../api/types.js'
import { useProject } from '../shell/session.js'
import { useText } from '../text/text.js'
import { useToast } from '../ui/states.js'

export type Settings = ResponseOf<'get', ''>
/** `password`: for what gives lasting access. */
export type SettingsChanges = BodyOf<'patch', ''> & { readonly password?: string }

export const useSettings = () => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'project'],
    queryFn: ({ signal }) => call(projectId, 'get', '', { signal }),
  })
}

export const useSaveSettings = () => {
  const { say } = useText()
  const { projectId } = useProject()
  const client = useQueryClient()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async (changes: SettingsChanges): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    setError(undefined)
    try {
      client.setQueryData([projectId, 'project'], await call(projectId, 'patch', '', { body: changes }))
      toast(say('saved'))
      await client.invalidateQueries()
      return true
    } catch (thrown) {
      setError(thrown)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, save }
}
