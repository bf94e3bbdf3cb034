import type { ImportedMembership } from '@posthorn/core/ports/storage'
import type { TemplateLanguage } from './templates/translation.js'

/** In an export; lines count from 1. */
export type ExportPlace = { readonly file: string; readonly line: number }

export type MigrationListItem = {
  readonly kind: 'list'
  /** Unique within the export. */
  readonly key: string
  readonly name: string
  readonly description?: string
  readonly isPrivate?: boolean
  /** What the operator has to do. */
  readonly note?: string
}

export const exportedSuppressionReasons = [
  'bounce',
  'complaint',
  'unsubscribed',
  'blocklisted',
  'disabled',
  'invalid',
] as const
export type ExportedSuppressionReason = (typeof exportedSuppressionReasons)[number]

export type ExportedSuppression = { readonly reason: ExportedSuppressionReason; readonly at?: string | undefined }

export type ExportMembership = ImportedMembership & { readonly list: string }

export type MigrationContactItem = {
  readonly kind: 'contact'
  readonly place: ExportPlace
  readonly email: string
  readonly name?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** By the name in the export; empty values are left out. */
  readonly fields: Readonly<Record<string, string>>
  readonly memberships: readonly ExportMembership[]
  readonly suppressed?: ExportedSuppression | undefined
}

export type MigrationSuppressionItem = ExportedSuppression & {
  readonly kind: 'suppression'
  readonly place: ExportPlace
  readonly email: string
}

export type MigrationTemplateItem = {
  readonly kind: 'template'
  readonly place: ExportPlace
  readonly name: string
  readonly subject: string
  /** A campaign becomes a draft on the first list of the export. */
  readonly purpose: 'transactional' | 'campaign'
  readonly format: 'html' | 'text'
  readonly source: string
  readonly language: TemplateLanguage
  /** Why nothing of it can be translated. */
  readonly obstacle?: string | undefined
}

export type UnreadableRowItem = {
  readonly kind: 'problem'
  readonly place: ExportPlace
  readonly error: string
  readonly email?: string | undefined
}

/** Data of the export that Posthorn has no place for. */
export type MigrationLeftOutItem = { readonly kind: 'left-out'; readonly what: string; readonly count: number }

export type MigrationItem =
  | MigrationListItem
  | MigrationContactItem
  | MigrationSuppressionItem
  | MigrationTemplateItem
  | UnreadableRowItem
  | MigrationLeftOutItem

export type OpenedExport = {
  /** In the same order each time. @throws Refusal `invalid` for a wrong or damaged file */
  readonly items: () => AsyncIterable<readonly MigrationItem[]>
  /** Removes temporary files. */
  readonly close: () => void
}

export type ExportReaderOptions = {
  /** For exports that name no list. */
  readonly listName?: string | undefined
}

export type MigrationSource = {
  /** As people write it. */
  readonly name: string
  /** @throws Refusal `invalid` if this is no export of that system */
  readonly open: (path: string, options: ExportReaderOptions) => Promise<OpenedExport>
}
