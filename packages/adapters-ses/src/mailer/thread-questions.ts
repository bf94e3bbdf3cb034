import type { Mail, Tenant } from '@posthorn/core/ports/transport'
import { type SendAccess, SesRefusal } from '../lean/lean-sender.js'
import type { TenantOf } from './known-tenants.js'

/** From a thread's mailer to the one with SDK and store. Plain data. */
export type ThreadQuestion =
  | { readonly kind: 'access' }
  | ({ readonly kind: 'tenant' } & Pick<Mail, 'projectId' | 'from'>)
  /** A mail was refused because of the account; there is no answer. */
  | { readonly kind: 'doubt' }

type Failed = { readonly name: string; readonly message: string; readonly status?: number | undefined }

/** Plain data with credentials: sent only to the thread that asked. */
export type ThreadAnswer =
  | { readonly access: SendAccess }
  | { readonly tenant: Tenant | undefined }
  | { readonly failed: Failed }
  | Readonly<Record<string, never>>

const failedBy = (error: unknown): Failed => {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } }
  return { name: error.name, message: error.message, status: $metadata?.httpStatusCode }
}

type Answering = {
  readonly access: () => Promise<SendAccess>
  readonly tenantOf: TenantOf | undefined
  readonly doubt: () => void
}

export const answering =
  ({ access, tenantOf, doubt }: Answering) =>
  async (question: ThreadQuestion): Promise<ThreadAnswer> => {
    try {
      if (question.kind === 'access') return { access: await access() }
      if (question.kind === 'tenant') return { tenant: await tenantOf?.(question) }
      doubt()
      return {}
    } catch (error) {
      return { failed: failedBy(error) }
    }
  }

/** @throws errors of the other side, by name */
export const asking = (ask: (question: unknown) => Promise<unknown>) => {
  const answerTo = async (question: ThreadQuestion): Promise<Exclude<ThreadAnswer, { readonly failed: Failed }>> => {
    const answer = (await ask(question)) as ThreadAnswer
    if (!('failed' in answer)) return answer
    const { name, message, status } = answer.failed as Failed
    throw new SesRefusal(name, message, status)
  }
  return {
    access: async () => ((await answerTo({ kind: 'access' })) as { readonly access: SendAccess }).access,
    tenantOf: (async ({ projectId, from }) =>
      ((await answerTo({ kind: 'tenant', projectId, from })) as { readonly tenant: Tenant | undefined })
        .tenant) satisfies TenantOf,
    doubt: (): void => void answerTo({ kind: 'doubt' }),
  }
}
