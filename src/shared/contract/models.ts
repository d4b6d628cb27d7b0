import { z } from "zod"
import { json } from "./endpoint.ts"
import { ServerModel, ModelId } from "./model-servers.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

/** The purpose of a model. */
export const ModelPurpose = z.enum(["chat", "embedding", "reranking"]).meta({ id: "ModelPurpose" })
export type ModelPurpose = z.infer<typeof ModelPurpose>

/** The role in which the box uses a model. */
export const ModelRole = z.enum(["chat", "embedding", "rerank"])
export type ModelRole = z.infer<typeof ModelRole>

/** Returns the role for models with this purpose; undefined for files that can't be used. */
export const roleFor = (purpose: ModelPurpose | null): ModelRole | undefined =>
  ModelRole.options.find((role) => purpose?.startsWith(role))

const Name = "[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
const Repo = z.string().regex(new RegExp(`^${Name}/${Name}$`), wrong("repository"))
const File = z
  .string()
  .max(300)
  .regex(new RegExp(`^(?:${Name}/){0,3}[A-Za-z0-9][A-Za-z0-9._-]*\\.gguf$`, "i"), wrong("gguf_of_repository"))
  .refine((name) => !/-\d{5}-of-\d{5}\.gguf$/i.test(name), wrong("one_part_of_several"))
const Revision = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, wrong("revision"))

/** A file's location on Hugging Face or one of its mirrors. */
export const ModelSource = z.object({
  repo: Repo,
  file: File,
  revision: Revision.default("main"),
})
export type ModelSource = z.infer<typeof ModelSource>

/** A catalogue model, or any file of a repository. */
export const DownloadRequest = z
  .object({
    catalogueId: z.string().max(100).optional(),
    repo: Repo.optional(),
    file: File.optional(),
    revision: Revision.optional(),
    use: z
      .boolean()
      .default(false)
      .meta({ description: "Take it into use once it is here, if its role has no model by then" }),
  })
  .refine(
    ({ catalogueId, repo, file }) =>
      catalogueId === undefined
        ? repo !== undefined && file !== undefined
        : repo === undefined && file === undefined,
    wrong("id_or_repository"),
  )
export type DownloadRequest = z.infer<typeof DownloadRequest>

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, wrong("sha256"))

/** An entry in `resources/models.json`, or in `models.json` in the data directory. */
export const CatalogueModel = ModelSource.extend({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, wrong("catalogue_id")),
  name: z.string().min(1).max(120),
  purpose: ModelPurpose,
  sizeBytes: z.int().positive(),
  /** If omitted, a download is checked against the checksum from the server. */
  sha256: Sha256.optional(),
  licence: z.string().min(1).max(120),
  contextSize: z.int().positive().meta({ description: "Tokens that the model was trained for" }),
  memoryBytes: z.int().positive().meta({ description: "Memory for the model and 8,192 tokens of one chat" }),
  languages: z.array(z.string().min(2).max(35)).min(1).meta({ description: "Language tags; `mul` for many" }),
}).meta({ id: "CatalogueModel" })
export type CatalogueModel = z.infer<typeof CatalogueModel>

/** A catalogue model, rated for this computer. */
export const OfferedModel = CatalogueModel.extend({
  /** `tight`: fits only if other programs are closed. */
  memoryFit: z.enum(["fits", "tight", "too-large"]),
  diskFits: z.boolean(),
  /** At most one model per purpose. */
  recommended: z.boolean(),
  installedId: z.string().nullable(),
}).meta({ id: "OfferedModel" })
export type OfferedModel = z.infer<typeof OfferedModel>

export const Computer = z.object({
  memoryBytes: z.int(),
  freeMemoryBytes: z.int(),
  freeDiskBytes: z.int(),
  /** Whether it is connected to any network; nothing is sent to find out. */
  online: z.boolean(),
  /** The result of testing the GPU; null before a model was loaded here. */
  gpu: z.enum(["works", "none", "failed"]).nullable(),
  /** The installed parts of the model engine for graphics cards. */
  gpuBackends: z.array(z.enum(["metal", "cuda", "vulkan"])),
  /** Command that adds CUDA, run in Casella's folder; null if CUDA is already installed or can't be. */
  addCudaCommand: z.string().nullable(),
})
export type Computer = z.infer<typeof Computer>

/** A GGUF file that the box may use. */
export const InstalledModel = z
  .object({
    id: z.string(),
    kind: z.literal("local"),
    name: z.string(),
    path: z.string(),
    /** `adopted`: the file belongs to the owner or to another program, and the box never deletes it. */
    origin: z.enum(["downloaded", "adopted"]),
    sizeBytes: z.int(),
    /** From the file's header; null if the file can't be used. */
    purpose: ModelPurpose.nullable(),
    contextSize: z.int().nullable(),
    /** Why it can't be used. */
    problem: z.string().optional(),
    sentence: SentenceBody.optional(),
    usedAs: ModelRole.nullable(),
  })
  .meta({ id: "InstalledModel" })
export type InstalledModel = z.infer<typeof InstalledModel>

/** A model on a server that an owner added. */
export const ConnectedModel = ServerModel.extend({
  kind: z.literal("server"),
  server: z.object({
    id: z.string(),
    name: z.string(),
    host: z.string().meta({ description: "Where what its models are asked is sent" }),
  }),
  usedAs: ModelRole.nullable(),
}).meta({ id: "ConnectedModel" })
export type ConnectedModel = z.infer<typeof ConnectedModel>

/** A GGUF file in another program's directory, which can be added by its path. */
export const FoundModel = z
  .object({
    name: z.string(),
    path: z.string(),
    sizeBytes: z.int(),
    program: z.enum(["LM Studio", "Ollama", "Jan", "GPT4All", "Hugging Face", "llama.cpp"]),
  })
  .meta({ id: "FoundModel" })
export type FoundModel = z.infer<typeof FoundModel>

/** The model chosen for a role, and where the choice was made. */
export const RoleChoice = z.object({
  /** The model chosen in the settings; kept while a flag overrides it. */
  chosenId: z.string().nullable(),
  /** `start`: a flag or the environment names the model for this run. A choice takes effect at the next start without it. */
  decidedBy: z.enum(["start", "settings"]),
  /** The choice differs from the flag's model and takes effect at the next start without the flag. */
  pending: z.boolean(),
})
export type RoleChoice = z.infer<typeof RoleChoice>

export const ModelChoice = z
  .object({ chat: RoleChoice, embedding: RoleChoice, rerank: RoleChoice })
  .meta({ id: "ModelChoice" })
export type ModelChoice = z.infer<typeof ModelChoice>

export const ModelDownload = z
  .object({
    id: z.string(),
    name: z.string(),
    ...ModelSource.shape,
    /** `cancelled` is the last message to connected apps about a download that was cancelled or removed. */
    status: z.enum(["downloading", "paused", "checking", "failed", "done", "cancelled"]),
    receivedBytes: z.int(),
    /** Null until the server has reported it. */
    sizeBytes: z.int().nullable(),
    /** Measured over the last few seconds; null while nothing arrives. */
    bytesPerSecond: z.int().nullable(),
    secondsLeft: z.int().nullable(),
    /** Why nothing arrives at the moment; retried automatically. */
    interruption: z.string().nullable(),
    /** How the finished file was checked: by checksum, or by size and header if there is no checksum. */
    checkedBy: z.enum(["sha256", "header"]).nullable(),
    /** Why it failed; `resume` tries again. */
    error: z.string().nullable(),
    /** The translatable sentence of the interruption or the error. */
    sentence: SentenceBody.optional(),
    /** The installed model after the download is done. */
    modelId: z.string().nullable(),
  })
  .meta({ id: "ModelDownload" })
export type ModelDownload = z.infer<typeof ModelDownload>

/** State of a configured model. */
export const ModelState = z
  .object({
    id: z.string(),
    kind: z.enum(["local", "remote"]),
    contextSize: z.int(),
    status: z.enum(["idle", "loading", "ready", "failed"]),
    progress: z.number().min(0).max(1).optional(),
    gpu: z.string().optional().meta({ description: "GPU backend in use; absent on the CPU" }),
    threads: z.int().optional().meta({ description: "That write answers, at the moment" }),
    promptThreads: z.int().optional().meta({ description: "That read prompts, at most" }),
    instructionSet: z.string().optional().meta({
      description: "Best instructions of the processor that the model's native code uses, such as AVX2",
    }),
    error: z.string().optional(),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "ModelState" })
export type ModelState = z.infer<typeof ModelState>

const path = "/api/public/models"
const download = z.object({ download: ModelDownload })

/** All endpoints except `state` are for owners, because they describe or change the computer. */
export const models = {
  state: json({
    method: "get",
    path: `${path}/state`,
    summary: "The configured models and what they are doing; null where none is configured",
    output: z.object({
      chat: ModelState.nullable(),
      embedding: ModelState.nullable(),
      rerank: ModelState.nullable(),
    }),
  }),
  list: json({
    method: "get",
    path,
    summary: "Models on this computer and of servers that the box may use, and which ones it does",
    access: "owner",
    output: z.object({
      models: z.array(z.discriminatedUnion("kind", [InstalledModel, ConnectedModel])),
      choice: ModelChoice,
    }),
  }),
  catalogue: json({
    method: "get",
    path: `${path}/catalogue`,
    summary: "Recommended models, judged for this computer",
    access: "owner",
    output: z.object({ models: z.array(OfferedModel), computer: Computer }),
  }),
  found: json({
    method: "get",
    path: `${path}/found`,
    summary: "Models in the folders of other programs; add one by its path",
    access: "owner",
    output: z.object({ models: z.array(FoundModel) }),
  }),
  add: json({
    method: "post",
    path,
    summary: "Use a GGUF file where it is, without copying it",
    access: "owner",
    body: z.object({ path: z.string().min(1).max(4096) }),
    status: 201,
    output: z.object({ model: InstalledModel }),
  }),
  remove: json({
    method: "delete",
    path: `${path}/:modelId`,
    summary: "Delete a file that the box downloaded; forget one that it didn't",
    access: "owner",
    output: z.object({ success: z.literal(true), id: z.string() }),
  }),
  tryGpuAgain: json({
    method: "delete",
    path: `${path}/gpu/trial`,
    summary: "Forget what came of trying the graphics card; the model that is loaded next tries it again",
    access: "owner",
    output: z.object({ success: z.literal(true) }),
  }),
  choose: json({
    method: "put",
    path: `${path}/choice`,
    summary: "Choose the model of a role; null for none. Kept over restarts",
    access: "owner",
    body: z.object({ role: ModelRole, modelId: ModelId.nullable() }),
    output: z.object({ choice: ModelChoice }),
  }),
  downloads: json({
    method: "get",
    path: `${path}/downloads`,
    summary: "Downloads that run, rest, failed, or ended since the box started",
    access: "owner",
    output: z.object({ downloads: z.array(ModelDownload) }),
  }),
  download: json({
    method: "post",
    path: `${path}/downloads`,
    summary: "Download a model of the catalogue, or a file of a repository",
    access: "owner",
    body: DownloadRequest,
    status: 201,
    output: download,
  }),
  pauseDownload: json({
    method: "post",
    path: `${path}/downloads/:downloadId/pause`,
    summary: "Rest; what has arrived is kept",
    access: "owner",
    output: download,
  }),
  resumeDownload: json({
    method: "post",
    path: `${path}/downloads/:downloadId/resume`,
    summary: "Go on where it stopped",
    access: "owner",
    output: download,
  }),
  cancelDownload: json({
    method: "delete",
    path: `${path}/downloads/:downloadId`,
    summary: "End a download and delete what has arrived; forget one that has ended",
    access: "owner",
    output: z.object({ success: z.literal(true), id: z.string() }),
  }),
} as const

/** Default for a model on this computer without custom options. */
export const usualUnloadMinutes = 30

/** A chat model's options where a request specifies none; null is the model's own default. */
export const ModelOptions = z
  .object({
    contextSize: z
      .int()
      .nullable()
      .meta({ description: "Tokens of one conversation; null: as many as fit this computer" }),
    temperature: z.number().nullable(),
    topP: z.number().nullable(),
    minP: z.number().nullable(),
    maxTokens: z.int().nullable().meta({ description: "Of an answer" }),
    thinking: z.enum(["auto", "off"]).nullable(),
    thinkingTokens: z.int().nullable().meta({ description: "Most tokens of thoughts in an answer" }),
    device: z.enum(["auto", "cpu"]).nullable(),
    unloadAfterMinutes: z.int().nullable().meta({
      description: "Idle minutes until its memory is given back; 0: after each answer; null: never",
    }),
    vision: z
      .boolean()
      .nullable()
      .meta({ description: "Whether a server's model takes pictures, where its server doesn't say" }),
  })
  .meta({ id: "ModelOptions" })
export type ModelOptions = z.infer<typeof ModelOptions>

export const ModelOptionsPatch = z
  .object({
    contextSize: z.int().min(512).max(100_000_000).nullable(),
    temperature: z.number().min(0).max(2).nullable(),
    topP: z.number().min(0).max(1).nullable(),
    minP: z.number().min(0).max(1).nullable(),
    maxTokens: z.int().min(1).max(1_000_000).nullable(),
    thinking: z.enum(["auto", "off"]).nullable(),
    thinkingTokens: z.int().min(0).max(1_000_000).nullable(),
    device: z.enum(["auto", "cpu"]).nullable(),
    unloadAfterMinutes: z.int().min(0).max(1_000_000).nullable(),
    vision: z.boolean().nullable(),
  })
  .partial()
export type ModelOptionsPatch = z.infer<typeof ModelOptionsPatch>

/** The cost of a local model's context window on this computer. */
export const ContextCost = z
  .object({
    trained: z.int().meta({ description: "Tokens that the model was trained for" }),
    largest: z.int().meta({ description: "Tokens that fit this computer's memory" }),
    usual: z.int().meta({ description: "Tokens that it has where nobody says how many" }),
    usualAtOnce: z.int().meta({ description: "Conversations that have as many beside each other then" }),
    together: z.int().meta({ description: "Tokens that fit for all conversations together" }),
    modelBytes: z.int(),
    bytesPerToken: z.int().meta({ description: "Memory that each token of context takes" }),
    memoryBytes: z.int().meta({ description: "What this computer has, its GPU included" }),
  })
  .meta({ id: "ContextCost" })
export type ContextCost = z.infer<typeof ContextCost>

/** A model's measured speed here, in answers since the box started. */
export const ModelSpeed = z
  .object({
    runsOn: z.enum(["processor", "gpu", "server"]),
    tokensPerSecond: z.number().meta({ description: "Written, in its last answer" }),
    promptTokensPerSecond: z
      .number()
      .nullable()
      .meta({ description: "Read, at best; null until it is known" }),
  })
  .meta({ id: "ModelSpeed" })
export type ModelSpeed = z.infer<typeof ModelSpeed>

const optionsPath = "/api/public/models/:modelId/options"
const output = z.object({
  options: ModelOptions,
  cost: ContextCost.nullable().meta({ description: "Null for a server's model" }),
  speeds: z.array(ModelSpeed).meta({ description: "At most one for each thing that it ran on" }),
})
export type KnownModelOptions = z.infer<typeof output>

/** For owners. */
export const modelOptions = {
  read: json({
    method: "get",
    path: optionsPath,
    summary:
      "How a chat model answers where a request doesn't say, what its context costs here, and how fast it was",
    access: "owner",
    output,
  }),
  update: json({
    method: "patch",
    path: optionsPath,
    summary: "Change how a chat model answers; what can't be had is refused with what can",
    access: "owner",
    body: ModelOptionsPatch,
    output,
  }),
} as const
