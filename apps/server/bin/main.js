#!/usr/bin/env node
import { basename } from 'node:path'

/**
 * Both commands of the package are this file, so that `npx @posthorn/server` knows which one to run. Shims of Windows do not say by which
 * name they were called; the server takes no arguments.
 */
const [, called = '', first] = process.argv
const name = basename(called)
const isCommand = name === 'posthorn' || (name !== 'posthorn-server' && first !== undefined)
await import(isCommand ? './posthorn.js' : './server.js')
