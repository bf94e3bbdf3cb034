/** Why a copy ended early; the next copy continues it. */
export class CopyFailure extends Error {
  override readonly name = 'CopyFailure'
}
