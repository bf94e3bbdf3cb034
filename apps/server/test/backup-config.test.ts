import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { readConfig } from '../src/config.js'

describe('backups', () => {
  const directory = temporaryDirectory()
  afterAll(() => directory.remove())

  it('are made only where a directory is named, every 24 hours, and seven are kept', () => {
    expect(readConfig({}).backup).toEqual({ passphrase: undefined, schedule: undefined })
    expect(readConfig({ POSTHORN_BACKUP_DIR: '/backups' }).backup.schedule).toEqual({
      directory: '/backups',
      everySeconds: 86_400,
      keep: 7,
    })
    expect(readConfig({ POSTHORN_BACKUP_DIR: '/b', POSTHORN_BACKUP_EVERY: '90m' }).backup.schedule).toMatchObject({
      everySeconds: 5_400,
    })
  })

  it('take their passphrase from a variable, or from the first line of a file', () => {
    const file = join(directory.path, 'passphrase')
    writeFileSync(file, 'correct horse battery\r\nmore\n')
    expect(readConfig({ POSTHORN_BACKUP_PASSPHRASE_FILE: file }).backup.passphrase).toBe('correct horse battery')
    expect(readConfig({ POSTHORN_BACKUP_PASSPHRASE: 'a long passphrase' }).backup.passphrase).toBe('a long passphrase')
    writeFileSync(file, 'short\n')
    for (const wrong of [file, join(directory.path, 'nowhere')])
      expect(() => readConfig({ POSTHORN_BACKUP_PASSPHRASE_FILE: wrong })).toThrow(
        'is not a readable file with 12 to 1000 characters in its first line',
      )
  })

  it.each([
    [{ POSTHORN_BACKUP_EVERY: '5m' }, 'POSTHORN_BACKUP_EVERY: "5m" is not a time from 10m to 30d, such as 6h'],
    [{ POSTHORN_BACKUP_EVERY: '6h' }, 'POSTHORN_BACKUP_EVERY: it needs POSTHORN_BACKUP_DIR'],
    [{ POSTHORN_BACKUP_DIR: '/b', MONGODB_URL: 'mongodb://localhost/a' }, 'only the store sqlite is backed up'],
    [{ POSTHORN_BACKUP_PASSPHRASE: 'short' }, 'POSTHORN_BACKUP_PASSPHRASE: the given value is not 12 to 1000'],
  ])('are refused with %j', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message)
  })
})
