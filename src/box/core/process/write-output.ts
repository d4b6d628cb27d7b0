import { write } from "node:fs"

/**
 * Writes to the standard output or the standard error. A paused terminal (Ctrl+S) blocks the writer, so one of Node's threads writes to it.
 */
export function writeOutput(stream: NodeJS.WriteStream & { fd: 1 | 2 }, text: string): void {
  if (stream.isTTY) write(stream.fd, text, () => undefined)
  else stream.write(text)
}
