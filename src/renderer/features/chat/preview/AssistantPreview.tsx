import { useEffect, useMemo, useRef, useState } from "react"
import { v7 as newId } from "uuid"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { registerShownChat } from "../session/announce-answer.ts"
import { AssistantWelcome } from "../AssistantWelcome.tsx"
import { useChatSession } from "../session/chat-sessions.ts"
import { type ShownMessage, shownMessages } from "../session/chat-view.ts"
import { MessageList } from "../MessageList.tsx"
import type { MessageActions } from "../MessageRow.tsx"
import { PreviewComposer } from "./PreviewComposer.tsx"
import { WhyPanel } from "../answer/sources/WhyPanel.tsx"
import { startTrial, endTrial } from "../../../data/chats/chat-deletions.ts"

const noPoints = new Map<string, never>()

/** A short chat for trying out an assistant. It is deleted when it is closed. */
export function AssistantPreview({ assistant }: { assistant: Assistant }) {
  const [chatId] = useState(() => newId())
  const [session, { phase, turn }] = useChatSession(chatId)
  const [text, setText] = useState("")
  const [asked, setAsked] = useState(0)
  const [failure, setFailure] = useState<unknown>()
  const [explained, setExplained] = useState<ShownMessage>()
  const conversation = useConversation(chatId, undefined, asked > 0)
  const area = useRef<HTMLTextAreaElement>(null)

  useEffect(() => {
    const hide = registerShownChat(chatId)
    return () => {
      hide()
      void endTrial(chatId)
    }
  }, [chatId])

  const actions = useMemo<MessageActions>(
    () => ({
      edit: () => undefined,
      retry: () => undefined,
      continueAnswer: () => undefined,
      stop: () => undefined,
      askPassages: () => undefined,
      explain: setExplained,
    }),
    [],
  )
  const stored = conversation.data?.messages ?? []
  const messages = shownMessages(stored, turn)
  const running = phase !== "idle"

  async function ask() {
    const question = text.trim()
    if (question === "" || running) return
    setFailure(undefined)
    setText("")
    startTrial(chatId)
    try {
      await session.ask(stored, question, [], assistant.id)
      setAsked((number) => number + 1)
    } catch (error) {
      setFailure(error)
      setText(question)
    }
  }

  function stop() {
    session.stop().catch((error: unknown) => showToast(describeError(error), "error"))
  }

  if (explained !== undefined)
    return <WhyPanel chatId={chatId} answer={explained} onClose={() => setExplained(undefined)} />
  return (
    <>
      {messages.length === 0 ? (
        <AssistantWelcome
          heading="h3"
          assistant={assistant}
          folderIds={[]}
          onChooseText={(prompt) => {
            setText(prompt)
            area.current?.focus()
          }}
        />
      ) : (
        <MessageList
          chatId={chatId}
          messages={messages}
          points={noPoints}
          target={undefined}
          turnNumber={asked}
          actions={actions}
          // The preview doesn't offer editing or retrying.
          idle={false}
        />
      )}
      {failure !== undefined && (
        <div className="px-4 pb-2">
          <Note kind="error">{describeError(failure)}</Note>
        </div>
      )}
      <PreviewComposer
        area={area}
        text={text}
        onTextChange={setText}
        onSubmit={() => void ask()}
        onStop={running ? stop : undefined}
        stopping={phase === "stopping"}
      />
    </>
  )
}
