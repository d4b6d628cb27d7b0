import { z } from "zod"
import { json } from "./endpoint.ts"
import { ServerModel, ModelId } from "./model-servers.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

/** The purpose of a model. */
export const ModelPurpose = z
  .enum(["chat", "embedding", "reranking"])
  .meta({ id: "ModelPurpose", description: "What a model is made for." })
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
  repo: Repo.describe("Repository on Hugging Face, such as `owner/name`."),
  file: File.describe("GGUF file in the repository."),
  revision: Revision.default("main").describe("Branch, tag or commit of the repository. Default `main`."),
})
export type ModelSource = z.infer<typeof ModelSource>

/** A catalogue model, or any file of a repository. */
export const DownloadRequest = z
  .object({
    catalogueId: z
      .string()
      .max(100)
      .optional()
      .describe("Model of the catalogue to download. Otherwise `repo` and `file` are required."),
    repo: Repo.optional().describe("Repository on Hugging Face, such as `owner/name`."),
    file: File.optional().describe("GGUF file in the repository."),
    revision: Revision.optional().describe("Branch, tag or commit of the repository. Default `main`."),
    use: z
      .boolean()
      .default(false)
      .describe(
        "true chooses the model for its role once it is downloaded, if the role has no model then. Default false.",
      ),
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
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, wrong("catalogue_id"))
    .describe("Identifier of the model in the catalogue."),
  name: z.string().min(1).max(120).describe("Display name of the model."),
  purpose: ModelPurpose,
  sizeBytes: z.int().positive().describe("Size of the download in bytes."),
  /** If omitted, a download is checked against the checksum from the server. */
  sha256: Sha256.optional().describe("SHA-256 checksum of the file."),
  licence: z.string().min(1).max(120).describe("Licence of the model."),
  contextSize: z.int().positive().describe("Tokens of context that the model was trained for."),
  memoryBytes: z.int().positive().describe("Memory in bytes for the model and 8,192 tokens of one chat."),
  languages: z
    .array(z.string().min(2).max(35))
    .min(1)
    .describe("Languages of the model as language tags; `mul` for many."),
}).meta({ id: "CatalogueModel", description: "A model that Casella recommends." })
export type CatalogueModel = z.infer<typeof CatalogueModel>

/** A catalogue model, rated for this computer. */
export const OfferedModel = CatalogueModel.extend({
  /** `tight`: fits only if other programs are closed. */
  memoryFit: z
    .enum(["fits", "tight", "too-large"])
    .describe("Whether the memory of this computer is enough."),
  diskFits: z.boolean().describe("true if the disk has enough free space."),
  /** At most one model per purpose. */
  recommended: z.boolean().describe("true for the best model of its purpose for this computer."),
  installedId: z.string().nullable().describe("Identifier of the model here; null if it isn't installed."),
}).meta({ id: "OfferedModel", description: "A model of the catalogue, rated for this computer." })
export type OfferedModel = z.infer<typeof OfferedModel>

export const Computer = z.object({
  memoryBytes: z.int().describe("Memory in bytes."),
  freeMemoryBytes: z.int().describe("Free memory in bytes."),
  freeDiskBytes: z.int().describe("Free space in bytes on the disk of the data directory."),
  /** Whether it is connected to any network; nothing is sent to find out. */
  online: z.boolean().describe("false while Casella is local-only."),
  /** The result of testing the GPU; null before a model was loaded here. */
  gpu: z
    .enum(["works", "none", "failed"])
    .nullable()
    .describe("Whether the graphics card works for models; null if it hasn't been tried."),
  /** The installed parts of the model engine for graphics cards. */
  gpuBackends: z
    .array(z.enum(["metal", "cuda", "vulkan"]))
    .describe("Kinds of graphics card support that are installed."),
  /** Command that adds CUDA, run in Casella's folder; null if CUDA is already installed or can't be. */
  addCudaCommand: z.string().nullable().describe("Command that adds CUDA support; null if it isn't needed."),
})
export type Computer = z.infer<typeof Computer>

/** A GGUF file that the box may use. */
export const InstalledModel = z
  .object({
    id: z.string().describe("Identifier of the model here."),
    kind: z.literal("local").describe("A model on this computer."),
    name: z.string().describe("Display name of the model."),
    path: z.string().describe("Path of the file."),
    /** `adopted`: the file belongs to the owner or to another program, and the box never deletes it. */
    origin: z
      .enum(["downloaded", "adopted"])
      .describe(
        "`downloaded` by Casella, or `adopted` from another place. An adopted file is never deleted.",
      ),
    sizeBytes: z.int().describe("Size of the file in bytes."),
    /** From the file's header; null if the file can't be used. */
    purpose: ModelPurpose.nullable().describe("What the model is made for; null if unknown."),
    contextSize: z
      .int()
      .nullable()
      .describe("Tokens of context that the model was trained for; null if unknown."),
    /** Why it can't be used. */
    problem: z.string().optional().describe("Why the model can't be used, in a sentence for people."),
    sentence: SentenceBody.optional(),
    usedAs: ModelRole.nullable().describe("Role that the model has now; null for none."),
  })
  .meta({ id: "InstalledModel", description: "A GGUF file that the server may use." })
export type InstalledModel = z.infer<typeof InstalledModel>

/** A model on a server that an owner added. */
export const ConnectedModel = ServerModel.extend({
  kind: z.literal("server").describe("A model on a model server."),
  server: z
    .object({
      id: z.string().describe("Identifier of the model server."),
      name: z.string().describe("Display name of the model server."),
      host: z.string().describe("Host that prompts are sent to."),
    })
    .describe("Server of the model."),
  usedAs: ModelRole.nullable().describe("Role that the model has now; null for none."),
}).meta({ id: "ConnectedModel", description: "A model on a server that an owner added." })
export type ConnectedModel = z.infer<typeof ConnectedModel>

/** A GGUF file in another program's directory, which can be added by its path. */
export const FoundModel = z
  .object({
    name: z.string().describe("Display name of the model."),
    path: z.string().describe("Path of the file."),
    sizeBytes: z.int().describe("Size of the file in bytes."),
    program: z
      .enum(["LM Studio", "Ollama", "Jan", "GPT4All", "Hugging Face", "llama.cpp"])
      .describe("Program whose directory contains the file."),
  })
  .meta({
    id: "FoundModel",
    description: "A GGUF file in the directory of another program. Add it by its path.",
  })
export type FoundModel = z.infer<typeof FoundModel>

/** The model chosen for a role, and where the choice was made. */
export const RoleChoice = z.object({
  /** The model chosen in the settings; kept while a flag overrides it. */
  chosenId: z.string().nullable().describe("Model chosen for the role; null for none."),
  /** `start`: a flag or the environment names the model for this run. A choice takes effect at the next start without it. */
  decidedBy: z
    .enum(["start", "settings"])
    .describe(
      "`start` if an option of the command line chose the model, which can't be changed while the server runs.",
    ),
  /** The choice differs from the flag's model and takes effect at the next start without the flag. */
  pending: z.boolean().describe("true while the chosen model is being downloaded."),
})
export type RoleChoice = z.infer<typeof RoleChoice>

export const ModelChoice = z
  .object({
    chat: RoleChoice.describe("Model that writes answers."),
    embedding: RoleChoice.describe("Model that search by meaning uses."),
    rerank: RoleChoice.describe("Model that sorts passages by relevance."),
  })
  .meta({ id: "ModelChoice", description: "The models that were chosen." })
export type ModelChoice = z.infer<typeof ModelChoice>

export const ModelDownload = z
  .object({
    id: z.string().describe("Identifier of the download."),
    name: z.string().describe("Display name of the model."),
    ...ModelSource.shape,
    /** `cancelled` is the last message to connected apps about a download that was cancelled or removed. */
    status: z
      .enum(["downloading", "paused", "checking", "failed", "done", "cancelled"])
      .describe("State of the download."),
    receivedBytes: z.int().describe("Bytes that have arrived."),
    /** Null until the server has reported it. */
    sizeBytes: z.int().nullable().describe("Size of the file in bytes; null if unknown."),
    /** Measured over the last few seconds; null while nothing arrives. */
    bytesPerSecond: z.int().nullable().describe("Current speed in bytes per second; null if unknown."),
    secondsLeft: z.int().nullable().describe("Estimated seconds until the end; null if unknown."),
    /** Why nothing arrives at the moment; retried automatically. */
    interruption: z
      .string()
      .nullable()
      .describe(
        "Why the download waits before it is tried again, in a sentence for people; null if it doesn't.",
      ),
    /** How the finished file was checked: by checksum, or by size and header if there is no checksum. */
    checkedBy: z
      .enum(["sha256", "header"])
      .nullable()
      .describe("How the file was verified: by its checksum, or only by its header; null until it was."),
    /** Why it failed; `resume` tries again. */
    error: z
      .string()
      .nullable()
      .describe("Why the download failed, in a sentence for people; null if it didn't."),
    /** The translatable sentence of the interruption or the error. */
    sentence: SentenceBody.optional(),
    /** The installed model after the download is done. */
    modelId: z.string().nullable().describe("Identifier of the model here; null until it is installed."),
  })
  .meta({ id: "ModelDownload", description: "A download of a model." })
export type ModelDownload = z.infer<typeof ModelDownload>

/** State of a configured model. */
export const ModelState = z
  .object({
    id: z.string().describe("Identifier of the model."),
    kind: z
      .enum(["local", "remote"])
      .describe("`local` if the model runs on this computer, `remote` if it is on a model server."),
    contextSize: z.int().describe("Size of the context window in tokens."),
    status: z
      .enum(["idle", "loading", "ready", "failed"])
      .describe("State of the model. `idle` means that it isn't loaded; the next request loads it."),
    progress: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Progress of loading, 0 to 1. Only while it loads."),
    gpu: z.string().optional().describe("Kind of graphics card support in use. Missing on the processor."),
    threads: z.int().optional().describe("Processor threads that write answers now."),
    promptThreads: z.int().optional().describe("Processor threads that read prompts, at most."),
    instructionSet: z
      .string()
      .optional()
      .describe("Best instruction set of the processor that the model's code uses, such as AVX2."),
    error: z.string().optional().describe("Why the model can't be used, in a sentence for people."),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "ModelState", description: "What a chosen model is doing." })
export type ModelState = z.infer<typeof ModelState>

const path = "/api/public/models"
const download = z.object({ download: ModelDownload.describe("The download.") })

/** All endpoints except `state` are for owners, because they describe or change the computer. */
export const models = {
  state: json({
    method: "get",
    path: `${path}/state`,
    summary: "Get the state of the chosen models",
    description: "Returns what the chosen models are doing. Everyone may ask.",
    output: z.object({
      chat: ModelState.nullable().describe("Model that writes answers; null if none is chosen."),
      embedding: ModelState.nullable().describe("Embedding model; null if none is chosen."),
      rerank: ModelState.nullable().describe("Reranking model; null if none is chosen."),
    }),
  }),
  list: json({
    method: "get",
    path,
    summary: "List models",
    description:
      "Returns the models on this computer and on model servers, and which are chosen. Owners only.",
    access: "owner",
    output: z.object({
      models: z
        .array(z.discriminatedUnion("kind", [InstalledModel, ConnectedModel]))
        .describe("Models on this computer and on model servers."),
      choice: ModelChoice.describe("Models that were chosen."),
    }),
  }),
  catalogue: json({
    method: "get",
    path: `${path}/catalogue`,
    summary: "List recommended models",
    description: "Returns the models that Casella recommends, rated for this computer. Owners only.",
    access: "owner",
    output: z.object({
      models: z.array(OfferedModel).describe("Models of the catalogue."),
      computer: Computer.describe("Resources of this computer."),
    }),
  }),
  found: json({
    method: "get",
    path: `${path}/found`,
    summary: "Find models of other programs",
    description:
      "Returns GGUF files in the directories of other programs, such as LM Studio and Ollama. Add one by its path. Owners only.",
    access: "owner",
    output: z.object({ models: z.array(FoundModel).describe("Models that were found.") }),
  }),
  add: json({
    method: "post",
    path,
    summary: "Add a model file",
    description: "Uses a GGUF file where it is, without copying it. Owners only.",
    errors: ["conflict", "unprocessable"],
    access: "owner",
    body: z.object({ path: z.string().min(1).max(4096).describe("Absolute path of the GGUF file.") }),
    status: 201,
    output: z.object({ model: InstalledModel.describe("The model.") }),
  }),
  remove: json({
    method: "delete",
    path: `${path}/:modelId`,
    summary: "Remove a model",
    description: "Deletes a file that Casella downloaded. Other files are only forgotten. Owners only.",
    errors: ["conflict"],
    access: "owner",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: z.string().describe("Identifier of the removed model."),
    }),
  }),
  tryGpuAgain: json({
    method: "delete",
    path: `${path}/gpu/trial`,
    summary: "Try the graphics card again",
    description:
      "Forgets that the graphics card failed. The next model that is loaded tries it again. Owners only.",
    access: "owner",
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
  choose: json({
    method: "put",
    path: `${path}/choice`,
    summary: "Choose a model",
    description: "Chooses the model of a role. The choice is kept. Owners only.",
    errors: ["not_found", "conflict", "unprocessable"],
    access: "owner",
    body: z.object({
      role: ModelRole.describe("Role of the model."),
      modelId: ModelId.nullable().describe("Model to use; null for none."),
    }),
    output: z.object({ choice: ModelChoice.describe("Models that are chosen now.") }),
  }),
  downloads: json({
    method: "get",
    path: `${path}/downloads`,
    summary: "List downloads of models",
    description:
      "Returns downloads in progress, and those that failed or ended since the server started. Owners only.",
    access: "owner",
    output: z.object({ downloads: z.array(ModelDownload).describe("Downloads.") }),
  }),
  download: json({
    method: "post",
    path: `${path}/downloads`,
    summary: "Download a model",
    description: "Downloads a model of the catalogue, or a GGUF file of a repository. Owners only.",
    errors: ["conflict", "local_only", "unprocessable", "disk_full"],
    access: "owner",
    body: DownloadRequest,
    status: 201,
    output: download,
  }),
  pauseDownload: json({
    method: "post",
    path: `${path}/downloads/:downloadId/pause`,
    summary: "Pause a download",
    description: "Keeps what has arrived. Owners only.",
    access: "owner",
    output: download,
  }),
  resumeDownload: json({
    method: "post",
    path: `${path}/downloads/:downloadId/resume`,
    summary: "Resume a download",
    description: "Continues where the download stopped. Owners only.",
    errors: ["conflict", "local_only"],
    access: "owner",
    output: download,
  }),
  cancelDownload: json({
    method: "delete",
    path: `${path}/downloads/:downloadId`,
    summary: "Cancel a download",
    description:
      "Ends a download and deletes what has arrived. A download that has ended is removed from the list. Owners only.",
    access: "owner",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: z.string().describe("Identifier of the cancelled download."),
    }),
  }),
} as const

/** Default for a model on this computer without custom options. */
export const usualUnloadMinutes = 30

/** A chat model's options where a request specifies none; null is the model's own default. */
export const ModelOptions = z
  .object({
    contextSize: z.int().nullable().describe("Tokens of one chat; null for as many as fit this computer."),
    temperature: z
      .number()
      .nullable()
      .describe("Temperature, 0 to 2. Higher values give more varied answers."),
    topP: z.number().nullable().describe("Nucleus sampling, 0 to 1."),
    minP: z
      .number()
      .nullable()
      .describe("Minimum probability of a token relative to the most likely one, 0 to 1."),
    maxTokens: z.int().nullable().describe("Maximum tokens of an answer."),
    thinking: z
      .enum(["auto", "off"])
      .nullable()
      .describe("`off` stops the model from reasoning before it answers; `auto` lets it decide."),
    thinkingTokens: z.int().nullable().describe("Maximum tokens of reasoning in an answer."),
    device: z
      .enum(["auto", "cpu"])
      .nullable()
      .describe("`cpu` keeps the model off the graphics card; `auto` uses it if it works."),
    unloadAfterMinutes: z
      .int()
      .nullable()
      .describe("Idle minutes until the model's memory is freed. 0: after each answer. null: never."),
    vision: z
      .boolean()
      .nullable()
      .describe("true if a model of a model server can see images and its server doesn't say so."),
  })
  .meta({
    id: "ModelOptions",
    description:
      "Options of a chat model for requests that specify none. null means the model's own default.",
  })
export type ModelOptions = z.infer<typeof ModelOptions>

export const ModelOptionsPatch = z
  .object({
    contextSize: z
      .int()
      .min(512)
      .max(100_000_000)
      .nullable()
      .describe("Tokens of one chat; null for as many as fit this computer."),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .nullable()
      .describe("Temperature, 0 to 2. Higher values give more varied answers."),
    topP: z.number().min(0).max(1).nullable().describe("Nucleus sampling, 0 to 1."),
    minP: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("Minimum probability of a token relative to the most likely one, 0 to 1."),
    maxTokens: z.int().min(1).max(1_000_000).nullable().describe("Maximum tokens of an answer."),
    thinking: z
      .enum(["auto", "off"])
      .nullable()
      .describe("`off` stops the model from reasoning before it answers; `auto` lets it decide."),
    thinkingTokens: z
      .int()
      .min(0)
      .max(1_000_000)
      .nullable()
      .describe("Maximum tokens of reasoning in an answer."),
    device: z
      .enum(["auto", "cpu"])
      .nullable()
      .describe("`cpu` keeps the model off the graphics card; `auto` uses it if it works."),
    unloadAfterMinutes: z
      .int()
      .min(0)
      .max(1_000_000)
      .nullable()
      .describe("Idle minutes until the model's memory is freed. 0: after each answer. null: never."),
    vision: z
      .boolean()
      .nullable()
      .describe("true if a model of a model server can see images and its server doesn't say so."),
  })
  .partial()
export type ModelOptionsPatch = z.infer<typeof ModelOptionsPatch>

/** The cost of a local model's context window on this computer. */
export const ContextCost = z
  .object({
    trained: z.int().describe("Tokens that the model was trained for."),
    largest: z.int().describe("Tokens that fit the memory of this computer."),
    usual: z.int().describe("Tokens by default."),
    usualAtOnce: z.int().describe("Chats that can have the default number of tokens at the same time."),
    together: z.int().describe("Tokens that fit for all chats together."),
    modelBytes: z.int().describe("Memory of the model in bytes."),
    bytesPerToken: z.int().describe("Memory of each token of context in bytes."),
    memoryBytes: z.int().describe("Memory of this computer in bytes, including its graphics card."),
  })
  .meta({
    id: "ContextCost",
    description: "What the context window of a local model costs on this computer.",
  })
export type ContextCost = z.infer<typeof ContextCost>

/** A model's measured speed here, in answers since the box started. */
export const ModelSpeed = z
  .object({
    runsOn: z.enum(["processor", "gpu", "server"]).describe("Where the model ran."),
    tokensPerSecond: z.number().describe("Tokens written per second in its last answer."),
    promptTokensPerSecond: z
      .number()
      .nullable()
      .describe("Highest number of prompt tokens read per second; null until it is known."),
  })
  .meta({ id: "ModelSpeed", description: "Measured speed of a model since the server started." })
export type ModelSpeed = z.infer<typeof ModelSpeed>

const optionsPath = "/api/public/models/:modelId/options"
const output = z.object({
  options: ModelOptions.describe("Options of the model."),
  cost: ContextCost.nullable().describe("What its context window costs; null for a model of a model server."),
  speeds: z.array(ModelSpeed).describe("Measured speeds, at most one for each place where it ran."),
})
export type KnownModelOptions = z.infer<typeof output>

/** For owners. */
export const modelOptions = {
  read: json({
    method: "get",
    path: optionsPath,
    summary: "Get the options of a model",
    description:
      "Returns a chat model's options, the cost of its context window and its measured speed. Owners only.",
    access: "owner",
    output,
  }),
  update: json({
    method: "patch",
    path: optionsPath,
    summary: "Change the options of a model",
    description:
      "Omitted options keep their value. Values that aren't possible on this computer are refused with those that are. Owners only.",
    errors: ["unprocessable"],
    access: "owner",
    body: ModelOptionsPatch,
    output,
  }),
} as const
