import { aProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import {
  moveProjectStatus,
  type ProjectStatus,
  type ProjectStatusMove,
  projectStatuses,
  projectStatusMoves,
} from '../../src/projects/project.js'

const now = '2026-01-06T13:00:00.000Z'

const allowed: Readonly<Record<ProjectStatus, readonly ProjectStatusMove[]>> = {
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
    for (const move of Object.keys(projectStatusMoves) as ProjectStatusMove[])
      it(`in status ${status} ${allowed[status].includes(move) ? 'takes' : 'refuses'} the move ${move}`, () => {
        const expected = allowed[status].includes(move)
          ? projectStatusMoves[move].to
          : `A project in status ${status} cannot become ${projectStatusMoves[move].to} this way.`
        expect(outcomeOf(() => moveProjectStatus(aProject({ status }), move, now).status)).toBe(expected)
      })
})
