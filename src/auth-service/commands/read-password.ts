import { once } from "node:events"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { UsageError } from "../auth-config.ts"

/** How long a program may take to write the password. A person at a terminal may think. */
const pipedMs = 60_000

/**
 * The password of an account: what `--password` gives, with a warning, because every user of the computer can read a
 * program's arguments; otherwise, or with `--password -`, a line of standard input, asked for at a terminal without an echo.
 * @throws UsageError when nothing comes.
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
