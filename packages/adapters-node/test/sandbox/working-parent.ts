import { sandboxProcesses } from '../../src/index.js'

/** A process of its own that has work under way that takes minutes, and says so: `working-parent.ts`. */
const processes = sandboxProcesses()
const endless = { tagName: 'mjml', children: [{ tagName: 'mj-raw', content: '<!--[if a]>'.repeat(90_000) }] }
void processes.run('visual-document', JSON.stringify(endless), 'a').catch(() => undefined)
setTimeout(() => process.stdout.write('working\n'), 500)
