import { aProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import {
  moveProject,
  type ProjectMove,
  type ProjectStatus,
  projectMoves,
  projectStatuses,
} from '../../src/projects/project.js'

const now = '2026-01-06T13:00:00.000Z'

const allowed: Readonly<Record<ProjectStatus, readonly ProjectMove[]>> = {
  sandbox: ['approveProduction', 'useOwnCloud'],
  production: ['revokeProduction', 'useOwnCloud'],
  byoCloudSes: ['leaveOwnCloud', 'useOwnCloud'],
}

/** What it comes to: the value, or the refusal's message. */
const outcomeOf = (attempt: () => string): string => {
  try {
    return attempt()
  } catch (error) {
    return (error as Error).message
  }
}

describe('a project', () => {
  for (const status of projectStatuses)
    for (const move of Object.keys(projectMoves) as ProjectMove[])
      it(`in status ${status} ${allowed[status].includes(move) ? 'takes' : 'refuses'} the move ${move}`, () => {
        const expected = allowed[status].includes(move)
          ? projectMoves[move].to
          : `A project in status ${status} cannot become ${projectMoves[move].to} this way.`
        expect(outcomeOf(() => moveProject(aProject({ status }), move, now).status)).toBe(expected)
      })
})
