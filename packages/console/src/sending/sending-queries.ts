import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { useProject } from '../shell/session.js'

const rarely = 60_000

export const useRegions = () => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'regions'],
    queryFn: async ({ signal }) => (await call(projectId, 'get', '/regions', { signal })).regions,
    staleTime: rarely,
  })
}

export const useDomains = () => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'domains', 'all'],
    queryFn: async ({ signal }) => (await call(projectId, 'get', '/domains', { signal })).items,
  })
}

/** Credit, limits and mails of the last 30 days. */
export const useOverview = () => {
  const { projectId } = useProject()
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return useQuery({
    queryKey: [projectId, 'home', timeZone],
    queryFn: ({ signal }) => call(projectId, 'get', '/home', { query: { timeZone }, signal }),
    refetchInterval: rarely,
  })
}

/** Limits, rates and use, as far as the person may see figures. */
export const useSendingFigures = () => {
  const { projectId, may } = useProject()
  return useQuery({
    queryKey: [projectId, 'sending-figures'],
    queryFn: async ({ signal }) => {
      const [project, access, sandbox, production] = await Promise.all([
        call(projectId, 'get', '', { signal }),
        call(projectId, 'get', '/production-access', { signal }),
        may('figures.read') ? call(projectId, 'get', '/sandbox/deliverability', { signal }) : undefined,
        may('figures.read') ? call(projectId, 'get', '/production/deliverability', { signal }) : undefined,
      ])
      return { project, access, sandbox, production }
    },
  })
}
