import { z } from "zod"
import { ServerModel } from "./model-servers.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

/** What a model is for. */
export const ModelPurpose = z.enum(["chat", "embedding", "reranking"]).meta({ id: "ModelPurpose" })
export type ModelPurpose = z.infer<typeof ModelPurpose>

/** What the box uses a model as. */
export const ModelRole = z.enum(["chat", "embedding", "rerank"])
export type ModelRole = z.infer<typeof ModelRole>

/** The role that models of a purpose can have; undefined for files that can't be used. */
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

/** Where a file is on Hugging Face, or on a mirror of it. */
export const ModelSource = z.object({
  repo: Repo,
  file: File,
  revision: Revision.default("main"),
})
export type ModelSource = z.infer<typeof ModelSource>

/** A model of the catalogue, or any file of a repository. */
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

/** One entry of `resources/models.json`, or of `models.json` in the data directory. */
export const CatalogueModel = ModelSource.extend({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, wrong("catalogue_id")),
  name: z.string().min(1).max(120),
  purpose: ModelPurpose,
  sizeBytes: z.int().positive(),
  /** Without it a download is checked against the checksum that the server names. */
  sha256: Sha256.optional(),
  licence: z.string().min(1).max(120),
  contextSize: z.int().positive().meta({ description: "Tokens that the model was trained for" }),
  memoryBytes: z.int().positive().meta({ description: "Memory for the model and 8,192 tokens of one chat" }),
  languages: z.array(z.string().min(2).max(35)).min(1).meta({ description: "Language tags; `mul` for many" }),
}).meta({ id: "CatalogueModel" })
export type CatalogueModel = z.infer<typeof CatalogueModel>

/** A model of the catalogue, judged for this computer. */
export const OfferedModel = CatalogueModel.extend({
  /** `tight`: only when other programs are closed. */
  memoryFit: z.enum(["fits", "tight", "too-large"]),
  diskFits: z.boolean(),
  /** At most one of each purpose. */
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
  /** What came of trying the GPU; null before a model was loaded here. */
  gpu: z.enum(["works", "none", "failed"]).nullable(),
  /** The model engine's parts for graphics cards that are installed. */
  gpuBackends: z.array(z.enum(["metal", "cuda", "vulkan"])),
  /** Command that adds CUDA, run in Casella's folder; null where CUDA is installed or can't be. */
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
    /** `adopted`: a file of the owner's or of another program, which the box never deletes. */
    origin: z.enum(["downloaded", "adopted"]),
    sizeBytes: z.int(),
    /** What its header says; null when the file can't be used. */
    purpose: ModelPurpose.nullable(),
    contextSize: z.int().nullable(),
    /** Why it can't be used. */
    problem: z.string().optional(),
    sentence: SentenceBody.optional(),
    usedAs: ModelRole.nullable(),
  })
  .meta({ id: "InstalledModel" })
export type InstalledModel = z.infer<typeof InstalledModel>

/** A model of a server that an owner added. */
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

/** A GGUF file in another program's folder, which can be added by its path. */
export const FoundModel = z
  .object({
    name: z.string(),
    path: z.string(),
    sizeBytes: z.int(),
    program: z.enum(["LM Studio", "Ollama", "Jan", "GPT4All", "Hugging Face", "llama.cpp"]),
  })
  .meta({ id: "FoundModel" })
export type FoundModel = z.infer<typeof FoundModel>

/** Which model has a role, and who said so. */
export const RoleChoice = z.object({
  /** The model chosen in the settings; kept when a flag overrules it. */
  chosenId: z.string().nullable(),
  /** `start`: a flag or the environment names the model for this run, and a choice counts from the next run without. */
  decidedBy: z.enum(["start", "settings"]),
  /** The choice differs from what the flag names and counts from the next start without it. */
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
    /** `cancelled` is the last that connected apps hear of a download that was cancelled or forgotten. */
    status: z.enum(["downloading", "paused", "checking", "failed", "done", "cancelled"]),
    receivedBytes: z.int(),
    /** Null until the server has said it. */
    sizeBytes: z.int().nullable(),
    /** Measured over the last seconds; null while nothing arrives. */
    bytesPerSecond: z.int().nullable(),
    secondsLeft: z.int().nullable(),
    /** Why nothing arrives for the moment; it is tried again by itself. */
    interruption: z.string().nullable(),
    /** How the finished file was checked: by a checksum, or by size and header where nobody knows one. */
    checkedBy: z.enum(["sha256", "header"]).nullable(),
    /** Why it failed; `resume` tries again. */
    error: z.string().nullable(),
    /** What the interruption or the error is made of. */
    sentence: SentenceBody.optional(),
    /** The installed model, once it is done. */
    modelId: z.string().nullable(),
  })
  .meta({ id: "ModelDownload" })
export type ModelDownload = z.infer<typeof ModelDownload>
