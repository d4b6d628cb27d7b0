import { z } from "zod"
import { json } from "./endpoint.ts"
import {
  Computer,
  ConnectedModel,
  DownloadRequest,
  FoundModel,
  InstalledModel,
  ModelChoice,
  ModelDownload,
  ModelRole,
  OfferedModel,
} from "./model-files.ts"
import { ModelId } from "./model-servers.ts"
import { SentenceBody } from "./sentence.ts"

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
