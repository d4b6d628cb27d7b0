import { t } from "i18next"
import { ArrowUp, Square } from "lucide-react"
import { type RefObject, useEffect, useMemo, useRef, useState } from "react"
import { v7 as newId } from "uuid"
import type { Assistant } from "../../../../shared/contract/assistants.ts"
import { startTrial, endTrial } from "../../../data/chats/chat-deletions.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { describeError } from "../../../lib/box.ts"
import { showError } from "../../../lib/toasts.ts"
import { Note } from "../../../ui/Note.tsx"
import { shortcutName } from "../../../lib/keys/shortcut.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { AssistantWelcome } from "../ChatBody.tsx"
import { MessageList } from "../MessageList.tsx"
import type { MessageActions } from "../MessageRow.tsx"
import { WhyPanel } from "../answer/sources/WhyPanel.tsx"
import { registerShownChat, useChatSession } from "../session/chat-sessions.ts"
import { type ShownMessage, shownMessages } from "../session/chat-view.ts"

interface PreviewComposerProps {
  /** The text area, for callers that move the focus there. */
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onTextChange: (text: string) => void
  onSubmit: () => void
  /** Set while an answer is being written. */
  onStop: (() => void) | undefined
  stopping: boolean
}

/** A composer without choices: it asks one assistant and takes no files. */
function PreviewComposer({ area, text, onTextChange, onSubmit, onStop, stopping }: PreviewComposerProps) {
  return (
    <div className="m-4 mt-1 flex items-end gap-2 rounded-xl border border-line-strong bg-field p-2 pl-3 focus-within:border-accent">
      <textarea
        ref={area}
        aria-label={t("assistants:preview.question")}
        placeholder={t("assistants:preview.placeholder")}
        rows={1}
        value={text}
        onChange={({ target }) => onTextChange(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onSubmit()
        }}
        className="field-sizing-content max-h-40 min-h-7 min-w-0 flex-1 resize-none py-1 leading-relaxed focus-visible:outline-none"
      />
      {onStop ? (
        <IconButton label={t("chat:stop")} variant="interim" disabled={stopping} onClick={onStop}>
          <Square className="fill-current" aria-hidden />
        </IconButton>
      ) : (
        <IconButton
          label={t("chat:send")}
          keys={shortcutName("send")}
          variant="main"
          disabled={text.trim() === ""}
          onClick={onSubmit}
        >
          <ArrowUp aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

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
    session.stop().catch(showError)
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
