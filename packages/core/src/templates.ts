/**
 * The door of a process that does nothing but try templates: it loads what that takes, a fifth of what the adapters' door loads.
 */
export { tryTemplates } from './emails/template-trial.js'
