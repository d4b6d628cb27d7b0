import { useMutation, useQuery } from "@tanstack/react-query"
import type { SupportAccount, SupportSignIn } from "../../shared/contract/support.ts"
import { box } from "../lib/box.ts"
import { uiLog } from "../lib/browser/ui-log.ts"
import { queryClient } from "./query-client.ts"

const accountKey = ["support", "account"] as const
const listKey = ["support", "tickets"] as const
const listed = 100

/** Statuses change elsewhere, and the box checks them only on request. */
const refreshMs = 20_000

export function useSupportAccount() {
  return useQuery({
    queryKey: accountKey,
    queryFn: async ({ signal }) => (await box.support.account({}, { signal })).account,
  })
}

const cacheAccount = ({ account }: { account: SupportAccount }) =>
  queryClient.setQueryData(accountKey, account)

export function useSupportSignIn() {
  return useMutation({
    mutationFn: (body: SupportSignIn) => box.support.signIn({ body }),
    onSuccess: cacheAccount,
  })
}

export function useSupportSignOut() {
  return useMutation({ mutationFn: () => box.support.signOut(), onSuccess: cacheAccount })
}

/** Reports, newest first. */
export function useReports() {
  return useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) => box.support.list({ query: { limit: listed } }, { signal }),
    refetchInterval: refreshMs,
  })
}

export const refreshReports = (): Promise<void> => queryClient.invalidateQueries({ queryKey: listKey })

/** Log lines as a report would contain them, without secrets. */
export function useReportLogs() {
  return useQuery({
    queryKey: ["support", "logs"],
    queryFn: ({ signal }) => box.support.logs({ body: { uiLogs: uiLog.read() } }, { signal }),
    gcTime: 0,
    staleTime: Infinity,
  })
}
