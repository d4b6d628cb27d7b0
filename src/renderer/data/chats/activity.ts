import { useQuery } from "@tanstack/react-query"
import { box } from "../../lib/box.ts"
import { queryClient } from "../query-client.ts"

type Activity = Awaited<ReturnType<typeof box.chat.activity>>

const activityKey = ["activity"] as const
const nothing: Activity = { answering: [], approvals: [] }

/** Activity in all chats: answers being written, and calls that await approval, oldest first. */
export function useActivity(): Activity {
  const { data } = useQuery({
    queryKey: activityKey,
    queryFn: ({ signal }) => box.chat.activity({}, { signal }),
  })
  return data ?? nothing
}

/** Caches the activity from the first screen. */
export function cacheActivity(activity: Activity): void {
  queryClient.setQueryData(activityKey, activity)
}

export const refreshActivity = (): Promise<void> => queryClient.invalidateQueries({ queryKey: activityKey })
