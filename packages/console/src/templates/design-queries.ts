import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { useProject } from '../shell/session.js'

/** A project has one design system. */
export const useDesignSystem = () => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'design'],
    queryFn: async ({ signal }) => (await call(projectId, 'get', '/design-systems', { signal })).items[0] ?? null,
  })
}

/** Merge tags of the design system: `design.colors.primary`. */
export const useDesignNames = (): readonly string[] => {
  const { data } = useDesignSystem()
  return Object.entries(data?.variables ?? {}).flatMap(([key, entries]) =>
    entries.map(({ name }) => `design.${key}.${name}`),
  )
}
