#!/usr/bin/env node
import { outliveReaders } from '../ending.js'
import { runCommandLine } from './run.js'

outliveReaders()
const code = await runCommandLine(process.argv.slice(2))
if (code !== 0) process.exit(code)
