import type { Client } from "../../../shared/client/http-client.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { answeringModels } from "../names.ts"
import type { Command } from "../command.ts"
import { callerFlags, withRunningBox } from "../running-box.ts"
import { columns, plainJson } from "../terminal.ts"

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

export const modelsList: Command = {
  words: ["models", "list"],
  takes: [],
  summary: "the models of this computer and of servers; * marks the one that answers",
  flags: [{ name: "json", about: "print them as JSON" }, ...callerFlags],
  callsBox: true,
  run: (flags) =>
    withRunningBox(flags, async ({ client }) => {
      const models = await listModels(client)
      if (flags.json === true) return [plainJson(models)]
      if (models.length === 0)
        process.stderr.write(
          "There is no model yet. Add one: models add FILE.gguf, or models add --server URL\n",
        )
      return columns(models.map(getRow))
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
