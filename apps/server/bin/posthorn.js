#!/usr/bin/env node
import './heap.js'
import { ensureBuilt, standWhereCalled } from './built.js'

ensureBuilt()
standWhereCalled()
await import('../dist/cli/main.js')
