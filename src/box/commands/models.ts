import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { Client } from "../../shared/client/http-client.ts"
import { AppError } from "../../shared/contract/errors.ts"
import type { ModelDownload } from "../../shared/contract/models.ts"
import { parseServerModelId } from "../../shared/contract/server-model-id.ts"
import { TerminalError } from "../core/terminal-error.ts"
import { type Command, type CommandFlags, jsonFlag, UsageError } from "./command.ts"
import { answeringModels, findByName } from "./names.ts"
import { callerFlags, withRunningBox, type RunningBox } from "./running-box.ts"
import { createStatusLine, plainLine, printList, readPiped } from "./terminal.ts"

/** A model in the list. */
interface ListedModel {
  id: string
  name: string
  /** Name of its server; null for a local model. */
  server: string | null
  purpose: string | null
  contextSize: number | null
  sizeBytes: number | null
  /** The role in which the box uses it. */
  usedAs: string | null
  problem: string | null
}

const modelsList: Command = {
  words: ["models", "list"],
  takes: [],
  summary: "List models; * marks the one that answers",
  flags: [jsonFlag, ...callerFlags],
  callsBox: true,
  run: (flags) =>
    withRunningBox(flags, async ({ client }) => {
      const models = await listModels(client)
      if (models.length === 0 && flags.json !== true)
        process.stderr.write(
          "There are no models yet. Add one: models add FILE.gguf, or models add --server URL\n",
        )
      return printList(flags, models, getRow)
    }),
}

const gigabyte = 1e9
const getRow = ({ id, name, server, purpose, contextSize, sizeBytes, usedAs, problem }: ListedModel) => [
  usedAs === "chat" ? "*" : "-",
  name,
  server ?? "this computer",
  purpose ?? "-",
  contextSize === null ? "-" : `${contextSize} tokens`,
  sizeBytes === null ? "-" : `${(sizeBytes / gigabyte).toFixed(1)} GB`,
  id,
  ...(problem === null ? [] : [problem]),
]

/** All models for owners; for others, only those that may answer them. */
async function listModels(client: Client): Promise<ListedModel[]> {
  const unknown = { contextSize: null, sizeBytes: null, problem: null }
  const [{ chat }, answering] = await Promise.all([client.models.state(), answeringModels(client)])
  const chosen = chat === null ? undefined : answering[0]
  const chats = answering.map((model) => ({
    ...unknown,
    ...model,
    purpose: "chat",
    usedAs: model === chosen ? "chat" : null,
  }))
  const owned = await client.models.list().catch((error: unknown) => {
    if (error instanceof AppError && error.code === "forbidden") return null
    throw error
  })
  if (owned === null) return chats
  const listed = owned.models.map((model): ListedModel =>
    model.kind === "server"
      ? { ...unknown, ...pick(model), server: model.server.name, purpose: "chat" }
      : {
          ...pick(model),
          server: null,
          purpose: model.purpose,
          sizeBytes: model.sizeBytes,
          problem: model.problem ?? null,
        },
  )
  // A flag may name an unlisted model.
  const [first] = chats
  const isListed = first?.usedAs == null || listed.some(({ usedAs }) => usedAs === "chat")
  return isListed ? listed : [first, ...listed]
}

const pick = ({
  id,
  name,
  contextSize,
  usedAs,
}: Pick<ListedModel, "id" | "name" | "contextSize" | "usedAs">) => ({
  id,
  name,
  contextSize,
  usedAs,
})

const keyVariable = "CASELLA_SERVER_KEY"

const modelsAdd: Command = {
  words: ["models", "add"],
  takes: ["[FILE.gguf|CATALOGUE-ID|OWNER/REPOSITORY/FILE.gguf]"],
  summary: "Add a model file, a download or a model server",
  flags: [
    { name: "server", takes: "URL", about: "OpenAI-compatible server; the address usually ends in /v1" },
    { name: "name", takes: "NAME", about: "Name of the server (default: its host)" },
    { name: "key-from-stdin", about: `Read the server's API key from stdin (or set ${keyVariable})` },
    ...callerFlags,
  ],
  callsBox: true,
  run(flags, [given]) {
    if ((given === undefined) === (flags.server === undefined))
      throw new UsageError("Give a file, a model from the catalogue or a repository, or --server URL.")
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
    throw new UsageError(`Pipe the key in, or set ${keyVariable}: a terminal would show what you type.`)
  const apiKey = (fromStdin ? await readPiped(stopped) : (process.env[keyVariable] ?? "")).trim()
  if (fromStdin && apiKey === "") throw new UsageError("No key was piped in.")
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
  const { download: started } = await client.models.download({
    body: source ? { repo, file } : { catalogueId: given },
  })
  const statusLine = createStatusLine(process.stderr.isTTY)
  statusLine.say(`Downloading ${started.name}. The download continues if you stop this command.`)
  for (;;) {
    await wait(checkIntervalMs, undefined, { signal: stopped }).catch(() => undefined)
    stopped.throwIfAborted()
    const now = (await client.models.downloads()).downloads.find(({ id }) => id === started.id)
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

const modelsUse: Command = {
  words: ["models", "use"],
  takes: ["ID|NAME"],
  summary: "Choose the model that answers",
  flags: callerFlags,
  names: "model",
  callsBox: true,
  run: (flags, [given = ""]) =>
    withRunningBox(flags, async ({ client }) => {
      const { models } = await client.models.list()
      const chats = models
        .filter((model) => model.kind === "server" || model.purpose === "chat")
        .map(({ id, name }) => ({ id, name: parseServerModelId(id)?.name ?? name }))
      const { id, name } = findByName("chat model", given, chats)
      const { choice } = await client.models.choose({ body: { role: "chat", modelId: id } })
      return [
        choice.chat.pending
          ? `${plainLine(name)} answers from the next start without --model, which names another for this run.`
          : `${plainLine(name)} answers from now on.`,
      ]
    }),
}

export const modelCommands: readonly Command[] = [modelsList, modelsUse, modelsAdd]
