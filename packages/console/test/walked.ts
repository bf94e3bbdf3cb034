import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { consoleApiRoutes } from '../../http-express/src/console/rows.js'
import { notOffered } from './not-offered.js'

/** Why no journey can call them with success. */
const notWalked: Readonly<Record<string, string>> = {
  getGalleryImage: 'the gallery lists it',
  checkCloud: 'only Amazon answers it; a journey reads the refusal',
}

const isExpected = ({ id }: { readonly id: string }): boolean =>
  !Object.hasOwn(notOffered, id) && !Object.hasOwn(notWalked, id)

/** `contacts/fields` is also `contacts/{email}`: the row with fewer parameters has it. */
const patterns = consoleApiRoutes
  .map(({ id, method, path }) => ({
    id,
    parameters: path.split('{').length,
    pattern: new RegExp(`^${method} .*${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i'),
  }))
  .sort((one, other) => one.parameters - other.parameters)

/** Rows that the console offers and no page called. */
export const unwalked = (calls: readonly string[]): readonly string[] => {
  const walked = new Set([...new Set(calls)].map((call) => patterns.find(({ pattern }) => pattern.test(call))?.id))
  return consoleApiRoutes.filter((row) => isExpected(row) && !walked.has(row.id)).map(({ id }) => id)
}

/** A run of all journeys fails if the console offers what none of them did. A part of them, or a failed one, is not judged. */
export const setup = (project: TestProject) => {
  const directory = temporaryDirectory()
  const file = join(directory.path, 'walked')
  writeFileSync(file, '')
  project.provide('walked', file)
  return async () => {
    const calls = readFileSync(file, 'utf8').split('\n')
    directory.remove()
    const { testFiles } = await project.globTestFiles()
    const { state, config } = project.vitest
    const ran = state.getTestModules().filter((one) => one.project === project && one.ok())
    if (ran.length < testFiles.length || config.testNamePattern || calls.length === 1) return
    const missing = unwalked(calls)
    if (missing.length === 0) return
    process.exitCode = 1
    process.stderr.write(`No journey does in the console: ${missing.join(', ')}\n`)
  }
}
