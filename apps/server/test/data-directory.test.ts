import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataDirectory, UnusableDataDirectory } from '../src/data-directory.js'
import { temporaryDirectory } from './running-server.js'

let data = temporaryDirectory()
beforeEach(() => {
  data = temporaryDirectory()
})
afterEach(() => data.remove())

describe('the secret of a data directory', () => {
  it('is made once, for its owner alone, and stays the same', () => {
    const secret = openDataDirectory(data.path).secret()
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(openDataDirectory(data.path).secret()).toBe(secret)
    expect(statSync(join(data.path, 'secret')).mode & 0o777).toBe(0o600)
    expect(readdirSync(data.path)).toEqual(['secret'])
  })

  it.each(['', 'too short', ' \n'])('is not replaced where the file is cut: %j', (text) => {
    writeFileSync(join(data.path, 'secret'), text)
    expect(() => openDataDirectory(data.path).secret()).toThrow(UnusableDataDirectory)
    expect(() => openDataDirectory(data.path).secret()).toThrow('Set POSTHORN_SECRET instead.')
  })
})

describe('a data directory', () => {
  it('is made with its parents', () => {
    const path = join(data.path, 'a', 'b')
    expect(openDataDirectory(path).database).toBe(join(path, 'posthorn.db'))
    expect(statSync(path).isDirectory()).toBe(true)
  })

  it('is refused where a file stands', () => {
    const path = join(data.path, 'file')
    writeFileSync(path, '')
    expect(() => openDataDirectory(path)).toThrow(`The data directory ${path} cannot be used`)
  })
})
