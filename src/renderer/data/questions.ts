import { useQuery } from "@tanstack/react-query"
import { box } from "../lib/box.ts"
import { onNotificationArrival, onNotificationChange } from "./notifications.ts"
import { queryClient } from "./query-client.ts"

const openKey = ["questions", "open"] as const
/** Maximum open questions of a user. */
const maxOpen = 100

/** Questions that wait for the user's answer, newest first. */
export const useOpenQuestions = () =>
  useQuery({
    queryKey: openKey,
    queryFn: async ({ signal }) =>
      (await box.questions.list({ query: { limit: maxOpen } }, { signal })).questions,
    staleTime: 0,
  })

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: openKey })

/** Answers a question. Throws `conflict` if it was answered elsewhere or is no longer open. */
export async function answerQuestion(id: string, choice: string): Promise<void> {
  try {
    await box.questions.answer({ params: { id }, body: { choice } })
  } finally {
    void refresh()
  }
}

// A question and its outcome arrive with its notification.
onNotificationArrival(({ question }) => question && void refresh())
onNotificationChange(({ question }) => question && void refresh())
