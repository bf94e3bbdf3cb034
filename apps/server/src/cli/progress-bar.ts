const width = 30

/** Output stream of a bar. */
type Stream = { readonly write: (text: string) => unknown; readonly isTTY?: boolean }

/** Shows progress: one growing line on a terminal, elsewhere a line for every tenth. */
export const progressBar = (label: string, stream: Stream = process.stderr) => {
  let shownTenth = -1
  return {
    show: (share: number, detail: string): void => {
      const bounded = Math.min(1, Math.max(0, share))
      const filled = Math.round(bounded * width)
      const percent = `${Math.floor(bounded * 100)}`.padStart(3)
      if (stream.isTTY) {
        stream.write(`\r\u001b[2K${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent} %  ${detail}`)
        return
      }
      const tenth = Math.floor(bounded * 10)
      if (tenth <= shownTenth) return
      shownTenth = tenth
      stream.write(`${label} ${percent} %  ${detail}\n`)
    },
    end: (): void => {
      if (stream.isTTY) stream.write('\n')
    },
  }
}
export type ProgressBar = ReturnType<typeof progressBar>
