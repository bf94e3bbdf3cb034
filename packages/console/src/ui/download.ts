export const download = (name: string, type: string, parts: readonly string[]): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([...parts], { type }))
  link.download = name
  link.click()
  // Browsers read it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
