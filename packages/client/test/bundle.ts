import { join } from 'node:path'
import { build, type Rolldown } from 'vite'

const index = join(import.meta.dirname, '../src/index.ts')
const entry = 'virtual:entry'

/** As an application bundles it: minified, with what it does not use left out. */
export const bundled = async (source: string, format: 'es' | 'iife' = 'es'): Promise<string> => {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id.endsWith(entry) ? `\0${entry}` : id === '@posthorn/client' ? index : null),
        load: (id) => (id === `\0${entry}` ? source : null),
      },
    ],
    build: {
      write: false,
      minify: true,
      target: 'es2023',
      lib: { entry, formats: [format], name: 'client', fileName: 'client' },
    },
  })) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[]
  const [output] = [built].flat()
  if (output?.output.length !== 1) throw new Error('The bundle has several files')
  return output.output[0].code
}
