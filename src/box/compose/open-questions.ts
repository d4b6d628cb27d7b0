import { NotificationDraft } from "../../shared/contract/notifications.ts"
import type { Question } from "../../shared/contract/questions.ts"
import { createQuestions } from "../features/questions/service.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

const getKey = ({ id }: Question) => `question:${id}`

/** Opens questions and resumes the open ones; loaded if there are any, or when someone asks one. */
export async function openQuestions(
  { database: { db }, logger, stopping }: Base,
  { keys, notifications }: Pick<Accounts, "keys" | "notifications">,
) {
  const questions = createQuestions({
    db,
    logger,
    stopping,
    now: Date.now,
    async notify({ userId, credentialId }, question, also) {
      const key = (await keys.list(userId)).find(({ id }) => id === credentialId)
      const draft = NotificationDraft.parse({
        title: question.title,
        description: question.description,
        category: "system", // no one can mute a notification that someone waits for
        icon: "CircleQuestionMark",
        name: key?.name,
        dedupeKey: getKey(question),
      })
      await notifications.send(userId, draft, { question }, also)
    },
    updateQuestion: (ownerId, question, also) =>
      notifications.updateQuestion(ownerId, getKey(question), question, also),
  })
  await questions.start()
  return questions
}
