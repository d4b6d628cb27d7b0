import { useMutation, useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import type { Limits, OwnLimits } from "../../../../shared/contract/quotas.ts"
import { queryClient } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"
import { formatCount, formatSize } from "../../../lib/words/format.ts"

export const kinds = ["files", "bytes", "answers", "tokens"] as const
export type Kind = (typeof kinds)[number]

const quotasKey = ["quotas"] as const

/** The limits for everyone, and those of each user and workspace with their usage; for owners. */
export function useQuotas() {
  return useQuery({
    queryKey: [...quotasKey, "all"],
    queryFn: ({ signal }) => box.quotas.list({}, { signal }),
    staleTime: 0,
  })
}

export function useOwnQuota() {
  return useQuery({
    queryKey: [...quotasKey, "own"],
    queryFn: ({ signal }) => box.quotas.own({}, { signal }),
    staleTime: 0,
  })
}

/** The subject whose limits are edited. Only a user's limits can refer to those of everyone. */
export type Whose =
  | { of: "everybody"; limits: Limits }
  | { of: "workspace"; id: string; name: string; limits: Limits }
  | { of: "person"; id: string; name: string; limits: OwnLimits; everybody: Limits }

export function useSetLimits(whose: Whose) {
  return useMutation({
    mutationFn: async (limits: OwnLimits) => {
      if (whose.of === "person") return box.quotas.setPerson({ params: { id: whose.id }, body: limits })
      const body = limits as Limits // only a user's fields offer "unlimited"
      if (whose.of === "everybody") return box.quotas.setDefault({ body })
      return box.quotas.setWorkspace({ params: { id: whose.id }, body })
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: quotasKey }),
  })
}

/** Returns a workspace's name, translated if it is the one that a new workspace gets. */
export const getWorkspaceName = (name: string): string =>
  name === "Workspace" ? t("settings:workspace") : name

export const formatAmount = (kind: Kind, amount: number): string =>
  kind === "bytes" ? formatSize(amount) : formatCount(amount)
