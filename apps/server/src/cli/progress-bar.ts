const width = 30

/** What a bar is drawn on. */
type Stream = { readonly write: (text: string) => unknown; readonly isTTY?: boolean }

/** Shows how far something is: on a terminal one line that grows, elsewhere a line at every tenth. */
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
