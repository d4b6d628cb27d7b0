import { useMutation, useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import type { z } from "zod"
import type { KeyDraft } from "../../../shared/contract/accounts.ts"
import type { Scope } from "../../../shared/contract/endpoint.ts"
import { queryClient } from "../../data/query-client.ts"
import { box } from "../../lib/box.ts"

/** Describes what a key with this scope may do. */
export const scopeName = (scope: Scope): string => t(`settings:keys.scopes.${scope}`)

const keysKey = ["keys"] as const
const refresh = () => queryClient.invalidateQueries({ queryKey: keysKey })

export function useKeys() {
  return useQuery({
    queryKey: keysKey,
    queryFn: async ({ signal }) => (await box.keys.list({}, { signal })).keys,
    staleTime: 0,
  })
}

export function useCreateKey() {
  return useMutation({
    mutationFn: (draft: z.output<typeof KeyDraft>) => box.keys.create({ body: draft }),
    onSuccess: refresh,
  })
}

export function useRevokeKey() {
  return useMutation({
    mutationFn: (id: string) => box.keys.revoke({ params: { id } }),
    onSuccess: refresh,
  })
}
