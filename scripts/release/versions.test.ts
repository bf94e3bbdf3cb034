import { describe, expect, it } from 'vitest'
import { notedIn, section, withSection } from './changelog.js'
import { compareVersions, nextVersion, withVersion } from './versions.js'

describe('the next version', () => {
  it.each([
    ['1.2.3', 'patch', '1.2.4'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'major', '2.0.0'],
    ['1.3.0-beta.2', 'minor', '1.3.0'],
    ['1.3.1-beta.2', 'minor', '1.4.0'],
    ['2.0.0-rc.1', 'major', '2.0.0'],
    ['1.2.3-rc.1', 'patch', '1.2.3'],
    ['0.1.0', '0.2.0-beta.1', '0.2.0-beta.1'],
  ])('after %s by %s is %s', (current, wanted, next) => {
    expect(nextVersion(current, wanted)).toBe(next)
  })

  it.each([
    ['0.1.0', 'is not later'],
    ['0.0.9', 'is not later'],
    ['0.1.0-beta.1', 'is not later'],
    ['v0.2.0', 'is neither patch'],
    ['0.2', 'is neither patch'],
    ['01.2.3', 'is neither patch'],
    ['1.2.3+build', 'is neither patch'],
    ['', 'is neither patch'],
  ])('is refused for %j', (wanted, reason) => {
    expect(() => nextVersion('0.1.0', wanted)).toThrow(reason)
  })

  it('orders pre-releases as Semantic Versioning does', () => {
    const ordered = [
      '1.0.0-1',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0',
    ]
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered)
  })
})

describe('a manifest with a version', () => {
  it('depends on exactly that version of our packages, and keeps the others', () => {
    const manifest = {
      name: '@posthorn/server',
      version: '0.1.0',
      dependencies: { '@posthorn/core': '0.1.0', zod: '4.6.7' },
      devDependencies: { '@posthorn/testkit': '0.1.0' },
    }
    expect(withVersion(manifest, '1.0.0')).toEqual({
      name: '@posthorn/server',
      version: '1.0.0',
      dependencies: { '@posthorn/core': '1.0.0', zod: '4.6.7' },
      devDependencies: { '@posthorn/testkit': '1.0.0' },
    })
    expect(manifest.version).toBe('0.1.0')
  })
})

describe('the changelog', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\nRead this first.\n\n## 0.1.0 (2026-01-01)\n\n- Begin\n'
  const subjects = ['Merge main', 'Add b', 'Fix a_b', 'Say c', 'Add b', 'Release 0.1.0', 'Keep d', '']

  it('puts the new section below an empty “Unreleased”, with what stood there and the commits by group', () => {
    const added = section({ version: '0.2.0', date: '2026-02-01', noted: notedIn(changelog) }, subjects)
    expect(withSection(changelog, added)).toBe(`# Changelog

## Unreleased

## 0.2.0 (2026-02-01)

Read this first.

### Changed

- Keep d

### Added

- Add b

### Fixed

- Fix a\\_b

### Documentation and tests

- Say c

## 0.1.0 (2026-01-01)

- Begin
`)
  })

  it('needs the heading', () => {
    expect(() => notedIn('# Changelog\n')).toThrow('has no heading')
  })

  it('can be empty', () => {
    expect(notedIn('## Unreleased\n')).toBe('')
    expect(withSection('# Changelog\n\n## Unreleased\n', '## 1.0.0 (x)')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 1.0.0 (x)\n',
    )
  })
})
