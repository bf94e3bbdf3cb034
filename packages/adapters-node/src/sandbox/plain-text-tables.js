/** Separates cells of a row until the line is complete: a noncharacter, which no text contains (Unicode 23.7). */
const between = '\uFDEE'
const tab = '    '

const blocks = new Set(
  [
    ['address', 'article', 'aside', 'blockquote', 'center', 'dd', 'div', 'dl', 'dt', 'fieldset', 'figure', 'footer'],
    ['form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'li', 'main', 'nav', 'ol', 'p', 'pre', 'section'],
    ['table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul'],
  ].flat(),
)
/** Blocks that always need several lines. */
const ownLines = new Set(['blockquote', 'hr', 'li', 'ol', 'pre', 'ul'])
const unseen = new Set(['head', 'img', 'script', 'style', 'title'])

const isBlock = ({ name }) => blocks.has(name)
const isCell = ({ name }) => name === 'td' || name === 'th'

/** Counts the lines of text in an element; caches the count. */
const lineCounter = () => {
  const known = new WeakMap()

  const counted = (element) => {
    let lines = 0
    let isOpen = false
    for (const child of element.children ?? []) {
      if (child.type === 'text' ? child.data.trim() === '' : unseen.has(child.name)) continue
      const own = child.type === 'text' ? 1 : linesIn(child)
      const isOnTheLine = isOpen && own > 0 && !isBlock(child)
      lines += isOnTheLine ? own - 1 : own
      if (isBlock(child)) isOpen = false
      else isOpen ||= own > 0
    }
    return lines > 0 && ownLines.has(element.name) ? lines + 1 : lines
  }
  const linesIn = (element) => {
    const found = known.get(element) ?? counted(element)
    known.set(element, found)
    return found
  }
  return linesIn
}

const inline = (nodes) => nodes.flatMap((node) => (isBlock(node) ? inline(node.children) : [node]))

const hasBlocks = ({ children }) => children.some((child) => isBlock(child) || (child.children && hasBlocks(child)))

const asBlock = (builder, breaks, write) => {
  builder.openBlock({ leadingLineBreaks: breaks })
  write()
  builder.closeBlock({ trailingLineBreaks: breaks })
}

/** One line if each cell has one; otherwise each cell is a paragraph, as in layout tables. */
export const tableFormatters = () => {
  const linesIn = lineCounter()

  const dataRow = (row, walk, builder) => {
    const { children } = row
    const last = children.findLastIndex((child) => (child.type === 'text' ? child.data.trim() !== '' : isCell(child)))
    for (const [index, child] of children.entries()) {
      walk(isCell(child) ? inline(child.children) : [child], builder)
      if (isCell(child) && index < last) builder.addInline(` ${between} `, { noWordTransform: true })
    }
  }

  const layoutRow = (row, breaks, walk, builder) => {
    for (const child of row.children) {
      if (isCell(child)) asBlock(builder, breaks, () => walk(child.children, builder))
      else walk([child], builder)
    }
  }

  return {
    row: (row, walk, builder) => {
      const cells = row.children.filter((child) => isCell(child) && linesIn(child) > 0)
      const isData = cells.length > 0 && cells.every((cell) => linesIn(cell) === 1)
      const breaks = isData && (cells.length > 1 || !hasBlocks(row.children.find(isCell))) ? 1 : 2
      asBlock(builder, breaks, () => (isData ? dataRow(row, walk, builder) : layoutRow(row, breaks, walk, builder)))
    },
  }
}

export const withoutMarks = (text) => text.replaceAll(between, '')

const spaced = (line) =>
  line
    .split(between)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(tab)

/** Joins the non-empty cells of a line by blanks, and reduces consecutive blank lines to one. */
export const tidied = (text) =>
  text
    .split('\n')
    .map((line) => (line.includes(between) ? spaced(line) : line))
    .filter((line, index, lines) => line.trim() !== '' || (lines[index - 1]?.trim() ?? '') !== '')
    .join('\n')
    .trim()
