/** Why a copy ended before it was done; what was copied is gone on with by the next. */
export class CopyFailure extends Error {
  override readonly name = 'CopyFailure'
}
