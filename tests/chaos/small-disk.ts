import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A file system of its own, of which the data directory is a folder. */
type SmallDisk = { readonly directory: string; readonly unmount: () => void }

const mounted = new Set<string>()

const unmount = (directory: string): void => {
  execFileSync('umount', ['--lazy', directory])
  mounted.delete(directory)
  rmSync(directory, { recursive: true, force: true })
}
process.once('exit', () => mounted.forEach(unmount))

/** Mounts a file system of so many megabytes in memory; undefined where this user may not. */
export const mountSmallDisk = (megabytes: number): SmallDisk | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'posthorn-chaos', directory], {
      stdio: 'ignore',
    })
  } catch {
    rmSync(directory, { recursive: true, force: true })
    return undefined
  }
  mounted.add(directory)
  return {
    directory,
    unmount: () => unmount(directory),
  }
}

const block = Buffer.alloc(1_000_000)

/** What fills the small disk that the data directory is on; undefined where it is on none. */
export const ballastOf = (dataDir: string) => {
  const disk = dirname(dataDir)
  if (!mounted.has(disk)) return undefined
  const file = join(disk, 'ballast')
  return {
    fill: (): void => {
      const ballast = openSync(file, 'w')
      try {
        for (let size = block.length; size >= 1; size = Math.floor(size / 2))
          try {
            for (;;) writeSync(ballast, block, 0, size)
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
          }
      } finally {
        closeSync(ballast)
      }
    },
    drop: (): void => rmSync(file, { force: true }),
  }
}
