import { consoleBase } from '../api/client.js'

const server = () => `${window.location.origin}${consoleBase.replace(/\/console$/, '')}`

/** The form's own page on this server. */
export const formPageUrl = (id: string): string => `${server()}/forms/${id}`
