import { box } from "../../lib/box.ts"
import { sayFailure } from "./open-notification.ts"

/** Answers a question of a notification; what became of it comes with the notification. */
export const answerQuestion = async (id: string, choice: string): Promise<void> =>
  void (await box.questions.answer({ params: { id }, body: { choice } }).catch(sayFailure))
