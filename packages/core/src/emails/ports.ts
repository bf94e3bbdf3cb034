import type { Feed } from './email-content.js'
import type { TemplateFormat } from './template-language.js'

/*
 * What these work on was written by a project, and how long it takes cannot be told from its size. An adapter does it where it can be
 * ended, and gives each project its share. @throws Refusal `busy` from all of them: too much of the project's is waiting.
 */

/** Fetches a feed as data for the template. @throws Error why it cannot be used, in words that name no address and no inside */
export interface FeedReader {
  read(feed: Pick<Feed, 'url' | 'feedType'>, projectId: string): Promise<unknown>
}

/**
 * What the HTML says, as plain text. Whatever is no white space in its texts and in link targets is kept.
 * @throws Refusal `blocked` with the reason
 */
export type PlainText = (html: string, projectId: string) => Promise<string>

/**
 * Turns a visual editor's document into an HTML template, merge tags kept as they stand. Asked once for each distinct document.
 * @throws Refusal `blocked` with the reason for a document it does not know
 */
export type VisualRenderer = (document: unknown, projectId: string) => Promise<string>

/** A template, and what refusals call it. */
export type NamedTemplate = { readonly field: string; readonly source: string; readonly format: TemplateFormat }

/**
 * Does what `tryTemplates` does. Whatever it lets pass may be compiled on the thread that answers everybody.
 * @throws Refusal `blocked` with the first violation, or because it takes longer than it may
 */
export type TemplateTrial = (templates: readonly NamedTemplate[], projectId: string) => Promise<void>
