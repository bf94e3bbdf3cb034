#!/usr/bin/env node
import { ignoreClosedPipes } from '../ending.js'
import { runCommandLine } from './run.js'

ignoreClosedPipes()
const code = await runCommandLine(process.argv.slice(2))
if (code !== 0) process.exit(code)
