import { t } from "i18next"
import { ArrowUp, Square } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { v7 as newId } from "uuid"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { useConversation } from "../../../data/conversations.ts"
import { describeError } from "../../../lib/box.ts"
import { IconButton } from "../../../ui/controls/IconButton.tsx"
import { Note } from "../../../ui/Note.tsx"
import { showToast } from "../../../lib/toasts.ts"
import { showElsewhere } from "../session/announce-answer.ts"
import { AssistantWelcome } from "../AssistantWelcome.tsx"
import { useChatSession } from "../session/chat-sessions.ts"
import { shownMessages } from "../session/chat-view.ts"
import { MessageList } from "../MessageList.tsx"
import type { MessageActions } from "../MessageRow.tsx"
import { WhyPanel } from "../answer/WhyPanel.tsx"
import { beginTrial, endTrial } from "../../../data/chat-deletions.ts"

const noPoints = new Map<string, never>()

/** A short chat to try an assistant in; it is deleted when it is closed. */
export function AssistantPreview({ assistant }: { assistant: Assistant }) {
  const [chatId] = useState(() => newId())
  const [session, { phase, turn }] = useChatSession(chatId)
  const [text, setText] = useState("")
  const [asked, setAsked] = useState(0)
  const [failure, setFailure] = useState<unknown>()
  const [explained, setExplained] = useState<string>()
  const conversation = useConversation(chatId, undefined, asked > 0)
  const area = useRef<HTMLTextAreaElement>(null)

  useEffect(() => {
    const hide = showElsewhere(chatId)
    return () => {
      hide()
      void endTrial(chatId)
    }
  }, [chatId])

  const actions = useMemo<MessageActions>(
    () => ({ edit: () => undefined, retry: () => undefined, explain: ({ key }) => setExplained(key) }),
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
    beginTrial(chatId)
    try {
      await session.ask(stored, question, [], assistant.id)
      setAsked((number) => number + 1)
    } catch (error) {
      setFailure(error)
      setText(question)
    }
  }

  if (explained !== undefined)
    return <WhyPanel chatId={chatId} messageId={explained} onClose={() => setExplained(undefined)} />
  return (
    <>
      {messages.length === 0 ? (
        <AssistantWelcome
          assistant={assistant}
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
          // Nothing is asked differently or again here.
          idle={false}
        />
      )}
      {failure !== undefined && (
        <div className="px-4 pb-2">
          <Note kind="error">{describeError(failure)}</Note>
        </div>
      )}
      <div className="m-4 mt-1 flex items-end gap-2 rounded-xl border border-line-strong bg-field p-2 pl-3 focus-within:border-accent">
        <textarea
          ref={area}
          aria-label={t("assistants:preview.question")}
          placeholder={t("assistants:preview.placeholder")}
          rows={1}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            void ask()
          }}
          className="field-sizing-content max-h-40 min-h-7 min-w-0 flex-1 resize-none py-1 leading-relaxed focus-visible:outline-none"
        />
        {running ? (
          <IconButton
            label={t("chat:stop")}
            variant="interim"
            disabled={phase === "stopping"}
            onClick={() => {
              session.stop().catch((error: unknown) => showToast(describeError(error), "error"))
            }}
          >
            <Square className="fill-current" aria-hidden />
          </IconButton>
        ) : (
          <IconButton
            label={t("chat:send")}
            keys="Enter"
            variant="main"
            disabled={text.trim() === ""}
            onClick={() => void ask()}
          >
            <ArrowUp aria-hidden />
          </IconButton>
        )}
      </div>
    </>
  )
}
