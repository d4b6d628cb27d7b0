import { z } from "zod"
import { json } from "./endpoint.ts"
import { atMost, Id, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

/** Maximum number of characters of a model's name on its server, and of its id. */
export const maxModelNameLength = 300
export const maxModelIdLength = 400

/** Id of a model on this computer or on a server. */
export const ModelId = z.string().min(1).max(maxModelIdLength)

/** Maximum number of models stored per server. */
export const maxServerModels = 2_000

/** A model as its server lists it; null if the server doesn't report a value. */
export const ServerModel = z
  .object({
    id: z.string(),
    name: z.string(),
    contextSize: z.int().nullable().meta({ description: "Tokens that it holds" }),
    vision: z.boolean().nullable().meta({ description: "Whether it takes pictures" }),
  })
  .meta({ id: "ServerModel" })
export type ServerModel = z.infer<typeof ServerModel>

/** The result of asking the server for its models. */
export const ServerState = z
  .enum(["reachable", "unauthorized", "unreachable", "unknown"])
  .meta({ id: "ServerState" })
export type ServerState = z.infer<typeof ServerState>

/** An OpenAI-compatible server that an owner added. No response contains its key. */
export const ModelServer = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string(),
    hasKey: z.boolean(),
    state: ServerState,
    problem: z.string().nullable().meta({ description: "Why it can't be used, or isn't fully" }),
    sentence: SentenceBody.optional().meta({ description: "What `problem` is made of" }),
    models: z.array(ServerModel),
    createdAt: Timestamp,
  })
  .meta({ id: "ModelServer" })
export type ModelServer = z.infer<typeof ModelServer>

/** Up to and including the version, such as `https://api.example/v1`; the path is used as given. */
export const ServerAddress = z
  .url({ protocol: /^https?$/, ...wrong("absolute_url") })
  .max(2000)
  .refine((address) => {
    if (!URL.canParse(address)) return true // the previous check reports it
    const { username, password } = new URL(address)
    return username === "" && password === "" && !/[?#]/.test(address)
  }, wrong("address_alone"))

const ServerName = atMost(80, z.string().trim().min(1))
const ApiKey = z.string().regex(/^[\x21-\x7e]{1,8000}$/, wrong("text_without_spaces"))
const ModelNames = z
  .array(z.string().trim().min(1).max(maxModelNameLength))
  .max(maxServerModels)
  .meta({ description: "Names of models of a server that doesn't list its own" })

export const ServerDraft = z.object({
  name: ServerName,
  url: ServerAddress,
  apiKey: ApiKey.nullish(),
  models: ModelNames.optional(),
})
export type ServerDraft = z.infer<typeof ServerDraft>

export const ServerPatch = z
  .object({
    name: ServerName,
    url: ServerAddress.meta({
      description: "One at another origin takes its key along only if that is given anew",
    }),
    apiKey: ApiKey.nullable().meta({ description: "null removes it" }),
    models: ModelNames,
  })
  .partial()
export type ServerPatch = z.infer<typeof ServerPatch>

const path = "/api/public/models/servers"
const output = z.object({ server: ModelServer })

/** Remote servers whose models the box uses. All endpoints are for owners. */
export const modelServers = {
  list: json({
    method: "get",
    path,
    summary: "Model servers that were added, oldest first",
    access: "owner",
    output: z.object({ servers: z.array(ModelServer) }),
  }),
  add: json({
    method: "post",
    path,
    summary: "Add an OpenAI-compatible server; it is asked for its models at once",
    access: "owner",
    body: ServerDraft,
    status: 201,
    output,
  }),
  update: json({
    method: "patch",
    path: `${path}/:serverId`,
    summary: "Change a server's name, address, key or models; it is asked again",
    access: "owner",
    body: ServerPatch,
    output,
  }),
  refresh: json({
    method: "post",
    path: `${path}/:serverId/refresh`,
    summary: "Ask a server again which models it has",
    access: "owner",
    output,
  }),
  remove: json({
    method: "delete",
    path: `${path}/:serverId`,
    summary: "Forget a server and its key",
    access: "owner",
    output: z.object({ success: z.literal(true), id: Id }),
  }),
} as const
