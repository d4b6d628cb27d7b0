import { z } from "zod"
import { AppError } from "../../../../shared/contract/errors.ts"
import { maxModelNameLength, maxServerModels } from "../../../../shared/contract/model-servers.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { abortAfter, unlessAborted } from "../../../core/waiting/abort-and-timeout.ts"
import { refusedWith } from "../../../engines/remote/refusal.ts"
import type { ServerConnection } from "../../../engines/remote/server-connection.ts"
import type { ServerNews } from "./server-store.ts"

/** Timeouts in milliseconds for the list of models and for the server's other properties. */
const listMs = 10_000
const propsMs = 3_000
/** Maximum number of list entries that are read. */
const maxExamined = 10_000
/** Maximum characters of a list. Each model takes a few hundred, and some include their templates. */
const maxListLength = 16_000_000

const Count = z.number().int().positive().max(1e9).nullish().catch(null)
const Words = z.array(z.string()).nullish().catch(null)

/** Properties of a model that servers report in addition to its name, each with its own field names. */
const Listed = z.object({
  // Rejects names that could be mistaken for others or contain terminal control characters.
  id: z
    .string()
    .trim()
    .min(1)
    .max(maxModelNameLength)
    .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u),
  context_length: Count, // OpenRouter, Together
  max_model_len: Count, // vLLM
  max_context_length: Count, // LM Studio, Mistral
  meta: z.object({ n_ctx: Count, n_ctx_train: Count }).nullish().catch(null), // llama-server
  architecture: z.object({ input_modalities: Words }).nullish().catch(null), // OpenRouter
  capabilities: z
    .union([Words, z.object({ vision: z.boolean() })])
    .nullish()
    .catch(null),
})
type Listed = z.infer<typeof Listed>

const List = z.object({ data: z.array(z.unknown()) })
/** Response of llama-server, which runs one model. */
const Props = z.object({
  modalities: z.object({ vision: z.boolean() }).nullish().catch(null),
  default_generation_settings: z.object({ n_ctx: Count }).nullish().catch(null),
})

type Models = ServerNews["models"]

/** Queries a server for its models. Never throws: a failure is returned as the server's state. */
export async function askServer(
  server: ServerConnection,
  givenNames: readonly string[],
  known: Models,
): Promise<ServerNews> {
  try {
    const listed = await within(listMs, (signal) => server.json("/models", undefined, signal, maxListLength))
    const models = merge(readList(listed), givenNames)
    const described = models.length === 1 ? await addServerProps(server, models) : models
    return { state: "reachable", problem: null, models: described }
  } catch (error) {
    const failure =
      error instanceof AppError
        ? error
        : new AppError("unavailable", sentence("remote.no_answer", { server: server.name }))
    const status = refusedWith(failure)
    if (status === 401 || status === 403)
      return failed("unauthorized", failure.sentence, merge(known, givenNames))
    if (status === undefined || !noListStatuses.has(status))
      return failed("unreachable", failure.sentence, merge(known, givenNames))
    const models = merge([], givenNames)
    if (models.length === 0)
      return failed("reachable", sentence("remote.lists_nothing", { server: server.name }), models)
    return { state: "reachable", problem: null, models }
  }
}

/** Status codes of servers that have no list of models. */
const noListStatuses = new Set([404, 405, 501])

const failed = (state: ServerNews["state"], { text, field }: Sentence, models: Models): ServerNews => ({
  state,
  problem: { text, ...field },
  models,
})

async function within<T>(ms: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = abortAfter(ms)
  return unlessAborted(ask(signal), signal)
}

function readList(value: unknown): Models {
  const list = List.safeParse(value)
  if (!list.success) throw new AppError("unavailable", sentence("remote.not_a_list"))
  const models = new Map<string, Models[number]>()
  for (const entry of list.data.data.slice(0, maxExamined)) {
    const listed = Listed.safeParse(entry).data
    if (listed && !models.has(listed.id)) models.set(listed.id, toModel(listed))
    if (models.size === maxServerModels) break
  }
  return [...models.values()]
}

const toModel = (listed: Listed): Models[number] => ({
  name: listed.id,
  contextSize:
    listed.max_model_len ??
    listed.context_length ??
    listed.max_context_length ??
    listed.meta?.n_ctx ??
    listed.meta?.n_ctx_train ??
    null,
  vision: detectVision(listed),
})

function detectVision({ architecture, capabilities }: Listed): boolean | null {
  if (architecture?.input_modalities) return architecture.input_modalities.includes("image")
  if (Array.isArray(capabilities))
    return capabilities.some((capability) => capability === "vision" || capability === "multimodal")
  return capabilities?.vision ?? null
}

/** The models that the server lists, then those that an owner named. Each appears once. */
function merge(listed: Models, given: readonly string[]): Models {
  const names = new Set(listed.map(({ name }) => name))
  const added = [...new Set(given)].filter((name) => !names.has(name))
  return [...listed, ...added.map((name) => ({ name, contextSize: null, vision: null }))]
}

/** Adds properties that the list lacks, if the server reports them elsewhere. */
async function addServerProps(server: ServerConnection, [model, ...others]: Models): Promise<Models> {
  if (!model || (model.vision !== null && model.contextSize !== null))
    return model ? [model, ...others] : others
  // The endpoint is next to the version path, not below it.
  const ask = (signal: AbortSignal) => server.json("/../props", undefined, signal)
  const answer = await within(propsMs, ask).catch(() => null)
  const props = Props.safeParse(answer).data
  return [
    {
      name: model.name,
      contextSize: props?.default_generation_settings?.n_ctx ?? model.contextSize,
      vision: model.vision ?? props?.modalities?.vision ?? null,
    },
    ...others,
  ]
}
