import { blocked } from '../kernel/refusal.js'
import type { Project, ProjectStatus } from './project.js'

/** Spec, "Project status", as a table. */
export const projectMoves = {
  approveProduction: { from: ['sandbox'], to: 'production' },
  revokeProduction: { from: ['production'], to: 'sandbox' },
  leaveOwnCloud: { from: ['byoCloudSes'], to: 'sandbox' },
  useOwnCloud: { from: ['sandbox', 'production', 'byoCloudSes'], to: 'byoCloudSes' },
} as const satisfies Record<string, { from: readonly ProjectStatus[]; to: ProjectStatus }>
export type ProjectMove = keyof typeof projectMoves

/** @throws Refusal `blocked` if the table does not allow the move */
export const moveProject = (project: Project, move: ProjectMove, now: string): Project => {
  const { from, to } = projectMoves[move]
  if (!(from as readonly ProjectStatus[]).includes(project.status))
    throw blocked(`A project in status ${project.status} cannot become ${to} this way.`)
  return { ...project, status: to, updatedAt: now }
}
