import { useEffect } from "react"
import { useModels } from "../../../data/models.ts"
import { useWaitingChats } from "../../../data/waiting-questions.ts"
import { runWaiting } from "./waiting-runner.ts"

/** Has waiting questions asked when their time has come, whatever screen is shown. */
export function WaitingQuestions() {
  const chats = useWaitingChats()
  const { data: models } = useModels()
  const usable = models?.chat ? models.chat.status !== "failed" : false
  useEffect(() => runWaiting(chats, usable), [chats, usable])
  return null
}
