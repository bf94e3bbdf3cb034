import { PosthornError } from '@posthorn/client'
import { describe, expect, it } from 'vitest'
import { problemOf, problemsIn } from '../src/api/errors.js'

const invalid = (message: string, violations: { field: string; message: string }[] = []) =>
  new PosthornError({ status: 400, code: 'VALIDATION_ERROR', message, violations })

describe('the problems of a refused request', () => {
  it('are its violations, whose sentences may contain what separates them in the message', () => {
    const message = 'use a; b: c'
    expect(problemsIn(invalid(`name: ${message}`, [{ field: 'name', message }]))).toEqual([
      { field: 'name', sentence: message },
    ])
  })

  it('are a line each, with the place in a template', () => {
    const message = 'line 2, column 7: unknown tag\nline 9, column 1: not closed'
    expect(problemsIn(invalid(`document: ${message}`, [{ field: 'document', message }]))).toMatchObject([
      { field: 'document', at: { line: 2, column: 7 } },
      { field: 'document', at: { line: 9, column: 1 } },
    ])
  })

  it('are read from the message of a response without violations', () => {
    expect(problemsIn(invalid('name: expected a text; limit: expected a number'))).toEqual([
      { field: 'name', sentence: 'expected a text' },
      { field: 'limit', sentence: 'expected a number' },
    ])
  })

  it('are none if it failed for another reason', () => {
    const violations = [{ field: 'name', message: 'expected a text' }]
    expect(problemsIn(new PosthornError({ status: 503, message: 'name: busy', violations }))).toEqual([])
    expect(problemsIn(new Error('name: none'))).toEqual([])
    expect(problemsIn(undefined)).toEqual([])
  })

  it('belong to the field that holds the value, and to no other whose name begins alike', () => {
    const violations = [
      { field: 'whiteList[1]', message: 'expected a bare domain' },
      { field: 'whiteList[2]', message: 'expected a bare domain' },
      { field: 'tracking.opens', message: 'expected true or false' },
      { field: 'nameOfList', message: 'unknown' },
    ]
    const problems = problemsIn(invalid('All is wrong', violations))
    expect(problemOf(problems, 'whiteList')).toBe('expected a bare domain')
    expect(problemOf(problems, 'whiteList[2]')).toBe('expected a bare domain')
    expect(problemOf(problems, 'tracking')).toBe('expected true or false')
    expect(problemOf(problems, 'name')).toBeUndefined()
  })
})
