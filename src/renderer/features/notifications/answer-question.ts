import { answerQuestion as answer } from "../../data/questions.ts"
import { showFailure } from "./open-notification.ts"

/** Answers a question to the user. The outcome arrives with its notification. */
export const answerQuestion = (id: string, choice: string): Promise<void> =>
  answer(id, choice).catch(showFailure)
