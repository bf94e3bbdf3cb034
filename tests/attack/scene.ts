import type { Client, TenantClient } from './client.js'
import type { Target, TargetOptions, Tenant } from './target.js'

/** What an attacker has: the server, a sandboxed tenant of their own, and the other tenant, whose ids they know and whose key they do not. */
export type Stage = {
  readonly target: Target
  readonly client: Client
  readonly attacker: Tenant
  readonly asAttacker: TenantClient
  /** A list of the attacker’s with many members, who have a custom field `city`. */
  readonly listId: string
  readonly victim: Tenant
  /** Only for looking at what became of the victim’s records. */
  readonly asVictim: TenantClient
  /** Memory while something is held, after a collection of garbage: it stops the server for 300 ms, so the witness waits for its end. */
  readonly memoryHeld: () => Promise<number>
  /** The number in a whole attack, or in a small one. */
  readonly size: (whole: number, small: number) => number
}

/** An attack, and what of it got through: a line for each promise that did not hold. */
export type Scene = TargetOptions & {
  readonly name: string
  readonly run: (stage: Stage) => Promise<readonly string[]>
}

/** Lines for what does not hold. */
export const unless = (holds: boolean, line: string): readonly string[] => (holds ? [] : [line])

export const rest = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))

/** Waits until nothing of the attacker’s sendings is under way, at most `seconds`. */
export const settled = async ({ asAttacker }: Stage, campaignId: string, seconds = 30): Promise<string> => {
  for (let tries = 0; tries < seconds * 4; tries += 1) {
    const { result } = await asAttacker.get(`/campaigns/${campaignId}`)
    const { status = '' } = (result ?? {}) as { readonly status?: string }
    if (status !== 'scheduled' && status !== 'being-sent') return status
    await rest(250)
  }
  return 'being-sent'
}
