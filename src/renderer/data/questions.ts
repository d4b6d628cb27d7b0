import { useQuery } from "@tanstack/react-query"
import { box } from "../lib/box.ts"
import { onNotificationArrival, onNotificationChange } from "./notifications.ts"
import { queryClient } from "./query-client.ts"

const openKey = ["questions", "open"] as const
/** A person has no more of them. */
const mostOpen = 100

/** Questions that wait for the person's answer, newest first. */
export const useOpenQuestions = () =>
  useQuery({
    queryKey: openKey,
    queryFn: async ({ signal }) =>
      (await box.questions.list({ query: { limit: mostOpen } }, { signal })).questions,
    staleTime: 0,
  })

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: openKey })

/** Throws `conflict` where it was answered elsewhere, or nobody waits any more. */
export async function answerQuestion(id: string, choice: string): Promise<void> {
  try {
    await box.questions.answer({ params: { id }, body: { choice } })
  } finally {
    void refresh()
  }
}

// What the box asks, and what became of it, comes with its notification.
onNotificationArrival(({ question }) => question && void refresh())
onNotificationChange(({ question }) => question && void refresh())
