/**
 * The words of a command line as a shell would split it: quotes hold words together, and a backslash keeps a space or a
 * quote. Elsewhere it stays, as in paths of Windows.
 */
export function splitCommandLine(line: string): string[] {
  const word = /(?:"(?:\\"|[^"])*"|'[^']*'|\\[\s"']|[^\s"'])+/g
  return (line.match(word) ?? []).map((text) =>
    text.replaceAll(
      /"((?:\\"|[^"])*)"|'([^']*)'|\\([\s"'])/g,
      (_, double?: string, single?: string, kept?: string) =>
        double?.replaceAll('\\"', '"') ?? single ?? kept ?? "",
    ),
  )
}
