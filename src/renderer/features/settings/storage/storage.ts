import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { BackupPlan, HeldDecision, HeldItem } from "../../../../shared/contract/storage.ts"
import { queryClient } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"
import { uploadingClient } from "../../../lib/browser/uploading-client.ts"

export const storageKey = ["storage"] as const
const backupKey = [...storageKey, "backup"] as const
const progressMs = 500
const idlePlanMs = 5_000

const refresh = () => queryClient.invalidateQueries({ queryKey: storageKey })

/** Disk usage by part. */
export function useStorage() {
  return useQuery({
    queryKey: storageKey,
    queryFn: async ({ signal }) => (await box.storage.read({}, { signal })).storage,
    staleTime: 0,
  })
}

/** The running or finished backup; polled while it runs. */
export function useBackup() {
  return useQuery({
    queryKey: backupKey,
    queryFn: async ({ signal }) => (await box.storage.backup({}, { signal })).backup,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.status === "running" ? progressMs : false),
  })
}

export function useStartBackup() {
  return useMutation({
    mutationFn: async () => (await box.storage.startBackup()).backup,
    onSuccess: (backup) => queryClient.setQueryData(backupKey, backup),
  })
}

const planKey = ["backup-plan"] as const

/** The backup schedule and the result of the last backup; polled while one runs or is due soon. */
export function useBackupPlan() {
  return useQuery({
    queryKey: planKey,
    queryFn: async ({ signal }) => (await box.storage.backupPlan({}, { signal })).state,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.running ? progressMs : state.data?.plan ? idlePlanMs : false,
  })
}

export function usePlanBackups() {
  return useMutation({
    mutationFn: async (plan: BackupPlan | null) => (await box.storage.planBackups({ body: { plan } })).state,
    onSuccess: (state) => queryClient.setQueryData(planKey, state),
  })
}

export const useRemoveBackup = () =>
  useMutation({ mutationFn: () => box.storage.removeBackup(), onSettled: refresh })

export const useEmptyTrash = () =>
  useMutation({ mutationFn: () => box.storage.emptyTrash(), onSettled: refresh })

export const useRemoveCopy = () =>
  useMutation({ mutationFn: (id: string) => box.storage.removeCopy({ params: { id } }), onSettled: refresh })

/** Uploads a backup to be checked; `share` is the part sent so far. */
export function useStageRestore() {
  const [share, setShare] = useState(0)
  const stage = useMutation({
    mutationFn: (file: File) => uploadingClient(setShare).storage.stageRestore({ file, fileName: file.name }),
    onMutate: () => setShare(0),
    onSettled: refresh,
  })
  return { ...stage, share }
}

const heldKey = [...storageKey, "held"] as const

/** Items of a restored backup that are off until an owner decides. */
export function useHeldItems() {
  return useQuery({
    queryKey: heldKey,
    queryFn: async ({ signal }) => (await box.storage.held({}, { signal })).items,
    staleTime: 0,
  })
}

export function useDecideHeldItems() {
  return useMutation({
    mutationFn: async ({ item, ...decision }: { item: HeldItem } & Pick<HeldDecision, "decision" | "key">) =>
      (await box.storage.decideHeld({ body: { ...item, ...decision } })).items,
    onSuccess: (items) => queryClient.setQueryData(heldKey, items),
    onError: () => queryClient.invalidateQueries({ queryKey: heldKey }),
  })
}

export const useDiscardRestore = () =>
  useMutation({ mutationFn: () => box.storage.discardRestore(), onSettled: refresh })
