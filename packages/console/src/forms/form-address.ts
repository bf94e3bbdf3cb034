import { consoleBase } from '../api/client.js'

const server = () => `${window.location.origin}${consoleBase.replace(/\/console$/, '')}`

export const formPageUrl = (id: string): string => `${server()}/forms/${id}`
