import { useMutation, useQuery } from "@tanstack/react-query"
import { queryClient } from "../../../data/query-client.ts"
import { refreshSettings } from "../../../data/settings.ts"
import { box } from "../../../lib/box.ts"

const networkKey = ["network"] as const
/** The computer may join another network in the meantime. */
const pollIntervalMs = 15_000

/** Whether other computers can reach the box, and at which addresses. */
export function useNetwork() {
  return useQuery({
    queryKey: networkKey,
    queryFn: async ({ signal }) => (await box.settings.network({}, { signal })).network,
    staleTime: 0,
    refetchInterval: pollIntervalMs,
  })
}

export function useChangeNetworkAccess() {
  return useMutation({
    mutationFn: (networkAccess: boolean) => box.settings.update({ body: { networkAccess } }),
    onSettled: () =>
      Promise.all([refreshSettings(), queryClient.invalidateQueries({ queryKey: networkKey })]),
  })
}
