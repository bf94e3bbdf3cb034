#!/usr/bin/env node
import { ensureBuilt, standWhereCalled } from './built.js'

ensureBuilt()
standWhereCalled()
await import('../dist/cli/main.js')
