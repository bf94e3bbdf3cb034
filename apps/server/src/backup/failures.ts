import { isDiskFull } from '@posthorn/adapters-sqlite'

/** The operator can do something about it. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure'
}

/** EDQUOT: the user's share of the disk is used up. */
const full = ['ENOSPC', 'EDQUOT']

/** An error that says what to do about a full disk; others unchanged. */
export const explainFullDisk = (error: unknown, place: string): unknown =>
  isDiskFull(error) || full.includes((error as NodeJS.ErrnoException)?.code ?? '')
    ? new BackupFailure(
        `The disk of ${place} is full. Nothing of this attempt was kept. Make space there, or choose another place.`,
      )
    : error
