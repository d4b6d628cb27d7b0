import { once } from "node:events"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { UsageError } from "../auth-config.ts"

/** Time limit for a program to write the password. There is none for a person at a terminal. */
const pipedMs = 60_000

/**
 * Returns an account's password. `--password` works with a warning, because every user of the computer can read a program's arguments.
 * Without it, or with `--password -`, reads a line of standard input; a terminal prompts for it without echo.
 * @throws UsageError if there is no input.
 */
export async function readPassword(
  given: string | undefined,
  input: NodeJS.ReadStream = process.stdin,
): Promise<string> {
  if (given !== undefined && given !== "-") {
    process.stderr.write(
      "Other users of this computer can read --password while it runs. Leave it out to be asked, or pipe the password in.\n",
    )
    return given
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: silent, terminal: input.isTTY })
  if (input.isTTY) process.stderr.write("Password: ")
  try {
    const signal = input.isTTY ? undefined : AbortSignal.timeout(pipedMs)
    const first = once(lines, "line", signal && { signal }) as Promise<[string]>
    const [line] = await Promise.race([first, once(lines, "close").then(() => [""] as const)])
    if (line === "") throw new UsageError("The password is missing: type it when asked, or pipe it in.")
    return line
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error
    throw new UsageError("No password came within a minute: type it when asked, or pipe it in.")
  } finally {
    if (input.isTTY) process.stderr.write("\n")
    lines.close()
    input.destroy()
  }
}
