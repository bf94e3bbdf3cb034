import type { Clock } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Project } from '../../projects/project.js'

type Deps = { readonly repositories: RepositoriesFor<{ projects: Project }>; readonly clock: Clock }

/** How old may be what is known of a project's pace. */
const projectTime = 5_000

/** Projects as they were lately: how fast one may send seldom changes. */
export const pacedProjects = ({ repositories, clock }: Deps) => {
  const known = new Map<string, { readonly project: Project | undefined; readonly until: number }>()
  return {
    /** Undefined of one that is gone. */
    get: async (projectId: string): Promise<Project | undefined> => {
      const now = clock().getTime()
      const lately = known.get(projectId)
      if (lately && now < lately.until) return lately.project
      for (const [id, { until }] of known) if (until <= now) known.delete(id)
      const project = await repositories.projects.get({ _id: projectId })
      known.set(projectId, { project, until: now + projectTime })
      return project
    },
    forget: (): void => known.clear(),
  }
}
export type PacedProjects = ReturnType<typeof pacedProjects>
