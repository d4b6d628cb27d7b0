import { useMutation, useQuery } from "@tanstack/react-query"
import type { z } from "zod"
import type {
  DownloadRequest,
  ModelDownload,
  ModelRole,
  ModelState,
} from "../../../shared/contract/models.ts"
import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

type Models = Record<ModelRole, ModelState | null>

// All other model keys start with this key, so reloading it reloads everything about models.
const modelsKey = ["models"] as const
const installedKey = [...modelsKey, "installed"] as const
const catalogueKey = [...modelsKey, "catalogue"] as const
const foundKey = [...modelsKey, "found"] as const
const downloadsKey = [...modelsKey, "downloads"] as const

const refresh = () => queryClient.invalidateQueries({ queryKey: modelsKey })

/** The configured models and their current activity. */
export function useModels() {
  return useQuery({ queryKey: modelsKey, queryFn: ({ signal }) => box.models.state({}, { signal }) })
}

/** Caches the models from the first screen. */
export function cacheModels(models: Models): void {
  queryClient.setQueryData(modelsKey, models)
}

/** Local models, server models, and which are selected. Owners only. */
export function useInstalledModels() {
  return useQuery({
    queryKey: installedKey,
    queryFn: ({ signal }) => box.models.list({}, { signal }),
    select: ({ models, choice }) => ({
      models: models.filter((model) => model.kind === "local"),
      connected: models.filter((model) => model.kind === "server"),
      choice,
    }),
  })
}

/** Recommended models, rated for this computer. Owners only. */
export function useCatalogue() {
  return useQuery({ queryKey: catalogueKey, queryFn: ({ signal }) => box.models.catalogue({}, { signal }) })
}

/** Models in other programs' directories. Owners only. */
export function useFoundModels() {
  return useQuery({
    queryKey: foundKey,
    queryFn: async ({ signal }) => (await box.models.found({}, { signal })).models,
  })
}

/** Downloads that are running, paused, failed or finished since the box started. Owners only. */
export function useDownloads() {
  return useQuery({
    queryKey: downloadsKey,
    queryFn: async ({ signal }) => (await box.models.downloads({}, { signal })).downloads,
  })
}

export function useChooseModel() {
  return useMutation({
    mutationFn: (choice: { role: ModelRole; modelId: string | null }) => box.models.choose({ body: choice }),
    onSuccess: refresh,
  })
}

/** Adds a GGUF file without moving it. */
export function useAddModel() {
  return useMutation({
    mutationFn: (path: string) => box.models.add({ body: { path } }),
    onSuccess: refresh,
  })
}

/** `useRemoveModel` deletes a downloaded file, but only forgets a file that belongs to another program. */
/** Tries the graphics card again with the next model that is loaded. Owners only. */
export function useRetryGpu() {
  return useMutation({ mutationFn: () => box.models.tryGpuAgain(), onSuccess: refresh })
}

export function useRemoveModel() {
  return useMutation({
    mutationFn: (modelId: string) => box.models.remove({ params: { modelId } }),
    onSuccess: refresh,
  })
}

export function useStartDownload() {
  return useMutation({
    mutationFn: (request: z.input<typeof DownloadRequest>) => box.models.download({ body: request }),
    onSuccess: ({ download }) => applyDownload(download),
  })
}

export function usePauseDownload() {
  return useMutation({
    mutationFn: (downloadId: string) => box.models.pauseDownload({ params: { downloadId } }),
    onSuccess: ({ download }) => applyDownload(download),
  })
}

/** Resumes a paused download, or retries a failed one. */
export function useResumeDownload() {
  return useMutation({
    mutationFn: (downloadId: string) => box.models.resumeDownload({ params: { downloadId } }),
    onSuccess: ({ download }) => applyDownload(download),
  })
}

/** Deletes a partial download, or forgets a finished one. */
export function useCancelDownload() {
  return useMutation({
    mutationFn: (downloadId: string) => box.models.cancelDownload({ params: { downloadId } }),
    onSuccess: refresh,
  })
}

/** Sets the server that models are downloaded from. Owners only. */
export function useSetModelMirror() {
  return useMutation({
    mutationFn: (modelMirror: string) => box.settings.update({ body: { modelMirror } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["settings"] }),
  })
}

/** Updates the list with news of one download. Cancelled downloads are removed, and new ones are added at the end. */
export function mergeDownload(downloads: ModelDownload[], news: ModelDownload): ModelDownload[] {
  if (news.status === "cancelled") return downloads.filter(({ id }) => id !== news.id)
  return downloads.some(({ id }) => id === news.id)
    ? downloads.map((download) => (download.id === news.id ? news : download))
    : [...downloads, news]
}

function applyDownload(download: ModelDownload): void {
  queryClient.setQueryData<ModelDownload[]>(
    downloadsKey,
    (downloads) => downloads && mergeDownload(downloads, download),
  )
}

export function applyDownloadMessage({ download }: Extract<SocketMessage, { type: "model.download" }>): void {
  applyDownload(download)
  if (download.status === "done" || download.status === "cancelled") void refresh()
}

export function applyModelMessage({ role, model }: Extract<SocketMessage, { type: "model" }>): void {
  const before = queryClient.getQueryData<Models>(modelsKey)
  queryClient.setQueryData<Models>(modelsKey, (models) => models && { ...models, [role]: model })
  // Only then is the result of trying the graphics card known.
  if (model?.status === "ready" && before?.[role]?.status !== "ready")
    void queryClient.invalidateQueries({ queryKey: catalogueKey })
  if (before?.[role]?.id !== model?.id) void queryClient.invalidateQueries({ queryKey: installedKey })
}

/** A model that can be selected for an answer. */
export interface AnsweringModel {
  id: string
  name: string
  /** Name of its server; null for a local model. */
  server: string | null
  /** The host that receives requests to the model; null for a local model. */
  host: string | null
}

/** All chat models, the selected one first, also for members. Loaded only when wanted, and again by each screen. */
export function useAnsweringModels(wanted: boolean) {
  return useQuery({
    enabled: wanted,
    // Scripts may also add and remove servers.
    staleTime: 0,
    queryKey: ["models", "answering"],
    queryFn: async ({ signal }) => (await box.completions.models({}, { signal })).data,
    select: (models): AnsweringModel[] =>
      models.map(({ id, owned_by, host }) => ({
        id,
        name: parseServerModelId(id)?.name ?? id,
        server: owned_by === "local" ? null : owned_by,
        host: host ?? null,
      })),
  })
}
