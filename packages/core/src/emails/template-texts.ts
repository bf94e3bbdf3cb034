const isText = (node: hbs.AST.Statement | undefined): node is hbs.AST.ContentStatement =>
  node?.type === 'ContentStatement'

/**
 * Removes comments and joins adjacent texts. A text built from a million one-character nodes would take a million steps, and thirty times
 * its length in memory until it is joined.
 */
export const withoutComments = (body: readonly hbs.AST.Statement[]): readonly hbs.AST.Statement[] => {
  const statements: hbs.AST.Statement[] = []
  for (const node of body) {
    if (node.type === 'CommentStatement') continue
    const last = statements.at(-1)
    if (isText(last) && isText(node))
      statements[statements.length - 1] = { ...last, value: last.value + node.value } as hbs.AST.ContentStatement
    else statements.push(node)
  }
  return statements
}
