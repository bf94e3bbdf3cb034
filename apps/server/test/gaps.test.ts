import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const docs = new URL('../../../docs/', import.meta.url)
const gaps = readFileSync(new URL('gaps.md', docs), 'utf8')

const linksIn = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
const sections = gaps
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n')[0],
    rows: text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2)
      .map((line) => line.split(' | ')),
  }))

describe('docs/gaps.md', () => {
  it('has a section for every part of the specification', () => {
    expect(sections.map(({ title }) => title)).toEqual([
      'Conventions',
      'Errors',
      'Accounts, keys, operators',
      'Contacts',
      'Lists and subscriptions',
      'Segments',
      'Emails',
      'Sending',
      'Statistics',
      'Domains and senders',
      'A project’s own cloud',
      'Production access',
      'Design systems',
      'Signup forms',
      'Gallery',
      'Webhooks',
      'Suppressions',
      'The template language',
    ])
  })

  it.each(sections)('names the source of each answer: $title', ({ rows }) => {
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      expect(row).toHaveLength(3)
      expect(linksIn(row[2] ?? '').length).toBeGreaterThan(0)
    }
  })

  it.each([...new Set(linksIn(gaps))])('links to a file that exists: %s', (path) => {
    expect(existsSync(new URL(path, docs))).toBe(true)
  })
})
