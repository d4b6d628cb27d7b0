/**
 * Splits a command line into words as a shell would: quotes keep words together, and a backslash escapes a space or a quote. Any other
 * backslash is kept, as in Windows paths.
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
