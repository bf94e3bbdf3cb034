import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mail } from '@posthorn/core/ports/transport'
import { afterEach } from 'vitest'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A directory of its own for the test, removed after it. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-outbox-'))
  folders.push(folder)
  return folder
}

export const mailTo = (to: string, changes: Partial<Mail> & { readonly subject?: string } = {}): Mail => ({
  deliveryId: `65f0c0ffee65f0c0ffee65f0:${to}`,
  projectId: 'project',
  from: 'news@example.com',
  to,
  mime: [
    'From: "News, daily" <news@example.com>',
    `To: ${to}`,
    `Subject: ${changes.subject ?? 'Hello'}`,
    'Date: Fri, 21 Nov 2025 10:00:00 +0000',
    '',
    'Hello.',
    '',
  ].join('\r\n'),
  ...changes,
})
