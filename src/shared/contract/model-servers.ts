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
    id: z.string().describe("Name of the model on its server."),
    name: z.string().describe("Display name of the model."),
    contextSize: z.int().nullable().describe("Size of the context window in tokens; null if unknown."),
    vision: z.boolean().nullable().describe("true if the model can see images; null if unknown."),
  })
  .meta({
    id: "ServerModel",
    description: "A model as its server lists it. Values that the server doesn't report are null.",
  })
export type ServerModel = z.infer<typeof ServerModel>

/** The result of asking the server for its models. */
export const ServerState = z
  .enum(["reachable", "unauthorized", "unreachable", "unknown"])
  .meta({ id: "ServerState", description: "Result of the last request for the server's models." })
export type ServerState = z.infer<typeof ServerState>

/** An OpenAI-compatible server that an owner added. No response contains its key. */
export const ModelServer = z
  .object({
    id: Id.describe("Identifier of the model server."),
    name: z.string().describe("Display name of the server."),
    url: z.string().describe("Base address of the server's API."),
    hasKey: z.boolean().describe("true if a key is stored. It is never shown."),
    state: ServerState,
    problem: z
      .string()
      .nullable()
      .describe("Why the server can't be used, or not completely, in a sentence for people; null if it can."),
    sentence: SentenceBody.optional().describe("Code and values of `problem`, for translation."),
    models: z.array(ServerModel).describe("Models of the server."),
    createdAt: Timestamp.describe("When the server was added."),
  })
  .meta({
    id: "ModelServer",
    description: "An OpenAI-compatible server that an owner added. Responses never contain its key.",
  })
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
  .describe("Names of the models of a server that doesn't list them.")

export const ServerDraft = z.object({
  name: ServerName.describe("Display name of the server."),
  url: ServerAddress.describe(
    "Base address of an OpenAI-compatible API, such as `http://192.168.1.20:11434/v1`.",
  ),
  apiKey: ApiKey.nullish().describe("API key of the server. Default: none."),
  models: ModelNames.optional().describe("Names of the models to use. Default: those that the server lists."),
})
export type ServerDraft = z.infer<typeof ServerDraft>

export const ServerPatch = z
  .object({
    name: ServerName.describe("New display name."),
    url: ServerAddress.describe(
      "New base address. At another origin, the stored key is kept only if it is sent again.",
    ),
    apiKey: ApiKey.nullable().describe("New API key; null removes it."),
    models: ModelNames.describe("Names of the models to use."),
  })
  .partial()
export type ServerPatch = z.infer<typeof ServerPatch>

const path = "/api/public/models/servers"
const output = z.object({ server: ModelServer.describe("The model server.") })

/** Remote servers whose models the box uses. All endpoints are for owners. */
export const modelServers = {
  list: json({
    method: "get",
    path,
    summary: "List model servers",
    description: "Returns the model servers that owners added, oldest first. Owners only.",
    access: "owner",
    output: z.object({ servers: z.array(ModelServer).describe("Model servers, oldest first.") }),
  }),
  add: json({
    method: "post",
    path,
    summary: "Add a model server",
    description: "Adds an OpenAI-compatible server and asks it for its models. Owners only.",
    errors: ["conflict", "local_only", "unprocessable"],
    access: "owner",
    body: ServerDraft,
    status: 201,
    output,
  }),
  update: json({
    method: "patch",
    path: `${path}/:serverId`,
    summary: "Change a model server",
    description:
      "Changes name, address, key or models, and asks the server for its models again. Owners only.",
    errors: ["conflict", "local_only", "unprocessable"],
    access: "owner",
    body: ServerPatch,
    output,
  }),
  refresh: json({
    method: "post",
    path: `${path}/:serverId/refresh`,
    summary: "Refresh a model server",
    description: "Asks the server again which models it has. Owners only.",
    access: "owner",
    output,
  }),
  remove: json({
    method: "delete",
    path: `${path}/:serverId`,
    summary: "Remove a model server",
    description: "Removes the server and its key. Owners only.",
    access: "owner",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the removed server."),
    }),
  }),
} as const
