import { useMutation, useQuery } from "@tanstack/react-query"
import type { Folder, FolderDraft, FolderEntry, FolderPatch } from "../../../shared/contract/folders.ts"
import { box, hasCode } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

const listKey = ["folders"] as const
const folderKey = (folderId: string) => ["folder", folderId] as const

export function useFolders() {
  return useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => (await box.folders.list({}, { signal })).vectors,
  })
}

/** Caches the folders from the first screen. */
export function cacheFolders(folders: FolderEntry[]): void {
  queryClient.setQueryData(listKey, folders)
}

export const folderQuery = (folderId: string) => ({
  queryKey: folderKey(folderId),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Folder | null> => {
    try {
      return (await box.folders.read({ params: { id: folderId } }, { signal })).vector
    } catch (error) {
      if (hasCode(error, "not_found")) return null
      throw error
    }
  },
})

/** One folder with its settings; null if it doesn't exist. */
export const useFolder = (folderId: string) => useQuery(folderQuery(folderId))

export async function refreshFolder(folderId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: folderKey(folderId) }),
    queryClient.invalidateQueries({ queryKey: listKey }),
  ])
}

export function useCreateFolder() {
  return useMutation({
    mutationFn: (draft: FolderDraft) => box.folders.create({ body: draft }),
    onSuccess: ({ vector }) => {
      queryClient.setQueryData(folderKey(vector.id), vector)
      return queryClient.invalidateQueries({ queryKey: listKey })
    },
  })
}

export function useUpdateFolder(folderId: string) {
  return useMutation({
    mutationFn: (patch: FolderPatch) => box.folders.update({ params: { id: folderId }, body: patch }),
    onSuccess: () => refreshFolder(folderId),
  })
}

/** The expected cost of describing the images of a folder. The first answer can take some seconds. */
export function useImageCosts(folderId: string) {
  return useQuery({
    queryKey: ["image-costs", folderId],
    queryFn: async ({ signal }) =>
      (await box.folders.imageCosts({ params: { id: folderId } }, { signal })).costs,
    gcTime: 0,
  })
}

export function useForgetMissing(folderId: string) {
  return useMutation({
    mutationFn: () => box.folders.forgetMissing({ params: { id: folderId } }),
    onSuccess: () => refreshFolder(folderId),
  })
}

/** Reloads folders after they were deleted or restored. */
export function refreshFolders(folderIds: string[]): Promise<void> {
  for (const id of folderIds) queryClient.removeQueries({ queryKey: folderKey(id) })
  return queryClient.invalidateQueries({ queryKey: listKey })
}
