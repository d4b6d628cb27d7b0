import { z } from "zod"
import { ServerModel } from "./model-servers.ts"
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
