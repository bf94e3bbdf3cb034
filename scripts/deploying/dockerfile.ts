export type Stage = {
  readonly name: string | undefined
  /** In their order: commands of `RUN` and `COPY`, with the directory they run in. */
  readonly steps: readonly { readonly kind: 'run' | 'copy'; readonly text: string; readonly directory: string }[]
  readonly environment: Readonly<Record<string, string>>
  readonly user: string | undefined
  readonly command: readonly string[]
  readonly healthcheck: readonly string[]
}

const listIn = (text: string): readonly string[] => JSON.parse(/\[.*\]$/.exec(text)?.[0] ?? '[]')

/** The instructions that this repository's Dockerfile uses, one a line. @throws Error for others */
export const readDockerfile = (dockerfile: string): readonly Stage[] => {
  const stages: Stage[] = []
  let directory = '/'
  const change = (changes: Partial<Stage>) => {
    const stage = stages.pop()
    if (stage) stages.push({ ...stage, ...changes })
  }
  for (const line of dockerfile.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const [, instruction = '', text = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
    const stage = stages.at(-1)
    switch (instruction) {
      case 'FROM':
        directory = '/'
        stages.push({
          name: / AS (\w+)$/i.exec(text)?.[1],
          steps: [],
          environment: {},
          user: undefined,
          command: [],
          healthcheck: [],
        })
        break
      case 'WORKDIR':
        directory = text
        break
      case 'RUN':
      case 'COPY':
        change({ steps: [...(stage?.steps ?? []), { kind: instruction === 'RUN' ? 'run' : 'copy', text, directory }] })
        break
      case 'ENV':
        change({
          environment: {
            ...stage?.environment,
            ...Object.fromEntries(text.split(' ').map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
          },
        })
        break
      case 'USER':
        change({ user: text })
        break
      case 'CMD':
        change({ command: listIn(text) })
        break
      case 'HEALTHCHECK':
        change({ healthcheck: listIn(text) })
        break
      case 'ARG':
      case 'EXPOSE':
      case 'STOPSIGNAL':
      case 'VOLUME':
        break
      default:
        throw new Error(`The Dockerfile has an instruction that the tests do not know: ${line}`)
    }
  }
  return stages
}
