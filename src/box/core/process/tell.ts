import { write } from "node:fs"

/**
 * Writes to the standard output or the standard error. A terminal takes nothing while somebody holds it (Ctrl+S), and whoever
 * writes to it waits as long: one of Node's threads does.
 */
export function tell(stream: NodeJS.WriteStream & { fd: 1 | 2 }, text: string): void {
  if (stream.isTTY) write(stream.fd, text, () => undefined)
  else stream.write(text)
}
