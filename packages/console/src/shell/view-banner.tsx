import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { callOperator } from '../api/client.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { ErrorNote } from '../ui/states.js'
import css from './layout.module.css'
import { sessionQueryKey } from './session.js'

export const ViewBanner = ({ projectId, until }: { readonly projectId: string; readonly until: string }) => {
  const { say, time } = useText()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const over = () => void client.invalidateQueries({ queryKey: sessionQueryKey })
    const timer = setTimeout(over, Math.max(0, Date.parse(until) - Date.now()))
    return () => clearTimeout(timer)
  }, [client, until])
  const end = async () => {
    try {
      await callOperator('delete', '/view', {})
      navigate(`/operator/projects/${projectId}`)
      await client.invalidateQueries({ queryKey: sessionQueryKey })
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <div className={`${css.banner} ${css.viewing}`} role="status">
      <span>{say('viewBanner', { time: time(until) })}</span>
      <Button small onPress={() => void end()}>
        {say('viewEnd')}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  )
}
