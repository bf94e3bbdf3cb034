import { describe, expect, it } from 'vitest'
import {
  AutoRemoveFromList,
  moveProject,
  type Project,
  type ProjectMove,
  type ProjectStatus,
  projectMoves,
  projectStatuses,
} from '../../src/index.js'

const now = '2026-01-06T13:00:00.000Z'

const project = (status: ProjectStatus): Project => ({
  _id: '69280e5c8f1c4a2b9d3e7f10',
  accountId: '69280e5c8f1c4a2b9d3e7f11',
  name: 'Shop',
  designSystemId: '69280e5c8f1c4a2b9d3e7f12',
  status,
  restricted: false,
  unengagedContactSegment: { groups: [] },
  monthlyLimit: 0,
  autoRemoveFromList: AutoRemoveFromList.parse({}),
  whiteList: [],
  createdAt: now,
  updatedAt: now,
})

const allowed: Readonly<Record<ProjectStatus, readonly ProjectMove[]>> = {
  sandbox: ['approveProduction', 'useOwnCloud'],
  production: ['revokeProduction', 'useOwnCloud'],
  byoCloudSes: ['useOwnCloud'],
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
        expect(outcomeOf(() => moveProject(project(status), move, now).status)).toBe(expected)
      })
})
