import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { ModelDownload } from "../../../shared/contract/models.ts"
import { TerminalError } from "../../core/terminal-error.ts"
import { type Command, type CommandFlags, UsageError } from "../command.ts"
import { callerFlags, withRunningBox, type RunningBox } from "../running-box.ts"
import { plainLine, readPiped, createStatusLine } from "../terminal.ts"

const keyVariable = "CASELLA_SERVER_KEY"

export const modelsAdd: Command = {
  words: ["models", "add"],
  takes: ["[FILE.gguf|CATALOGUE-ID|OWNER/REPOSITORY/FILE.gguf]"],
  summary: "use a file where it is, download one, or add a server of models",
  flags: [
    { name: "server", takes: "URL", about: "a server that speaks OpenAI's protocol; mostly ends in /v1" },
    { name: "name", takes: "NAME", about: "what the server is called; its host unless given" },
    { name: "key-from-stdin", about: `read the server's key from stdin; or give it as ${keyVariable}` },
    ...callerFlags,
  ],
  callsBox: true,
  run(flags, [given]) {
    if ((given === undefined) === (flags.server === undefined))
      throw new UsageError("Give a file, a model of the catalogue or of a repository, or --server URL.")
    return withRunningBox(flags, (box) =>
      given === undefined
        ? addServer(box, flags)
        : existsSync(given)
          ? addFile(box, given)
          : download(box, given),
    )
  },
}

async function addFile({ client }: RunningBox, path: string): Promise<string[]> {
  const { model } = await client.models.add({ body: { path: resolve(path) } })
  return [`Added ${plainLine(model.name)}\t${model.id}`]
}

/** Keys can't be arguments, because every user of the computer can see those. */
async function addServer({ client, stopped }: RunningBox, flags: CommandFlags): Promise<string[]> {
  const url = flags.server ?? ""
  if (!URL.canParse(url)) throw new UsageError(`"${url}" isn't an address, such as https://api.example/v1`)
  const fromStdin = flags["key-from-stdin"] === true
  if (fromStdin && process.stdin.isTTY)
    throw new UsageError(
      "Pipe the key in, or give it as " + keyVariable + ": a terminal would show it as it is typed.",
    )
  const apiKey = (fromStdin ? await readPiped(stopped) : (process.env[keyVariable] ?? "")).trim()
  if (fromStdin && apiKey === "") throw new UsageError("Nothing was piped in, where the key should be.")
  const name = flags.name ?? new URL(url).host
  const { server } = await client.modelServers.add({
    body: { name, url, ...(apiKey === "" ? {} : { apiKey }) },
  })
  if (server.problem !== null) process.stderr.write(`${plainLine(server.problem)}\n`)
  return [`Added ${plainLine(server.name)}\t${server.id}`, ...server.models.map(({ id }) => plainLine(id))]
}

const checkIntervalMs = 500

/** The box downloads; this only reports its progress. */
async function download({ client, stopped }: RunningBox, given: string): Promise<string[]> {
  const source = /^([^/]+\/[^/]+)\/(.+\.gguf)$/i.exec(given)
  const [, repo = "", file = ""] = source ?? []
  if (!source && /\.gguf$/i.test(given)) throw new TerminalError("not_found", `There is no file ${given}.`)
  const { download: begun } = await client.models.download({
    body: source ? { repo, file } : { catalogueId: given },
  })
  const statusLine = createStatusLine(process.stderr.isTTY)
  statusLine.say(`Downloading ${begun.name}. The box goes on with it when this command is stopped.`)
  for (;;) {
    await wait(checkIntervalMs, undefined, { signal: stopped }).catch(() => undefined)
    stopped.throwIfAborted()
    const now = (await client.models.downloads()).downloads.find(({ id }) => id === begun.id)
    if (!now || now.status === "cancelled") throw new TerminalError("conflict", "The download was cancelled.")
    if (now.status === "failed") throw new TerminalError("unavailable", now.error ?? "The download failed.")
    if (now.status === "done") {
      statusLine.done()
      return [`Added ${plainLine(now.name)}\t${now.modelId ?? ""}`]
    }
    statusLine.doing(getProgress(now))
  }
}

function getProgress({ status, receivedBytes, sizeBytes, interruption }: ModelDownload): string {
  const done =
    sizeBytes === null ? `${receivedBytes} bytes` : `${Math.floor((100 * receivedBytes) / sizeBytes)} %`
  return interruption ?? `${status === "downloading" ? "Downloading" : status} … ${done}`
}
