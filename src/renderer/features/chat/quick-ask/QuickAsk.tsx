import { t } from "i18next"
import { FileText, ArrowUp, Square, ExternalLink, Plus } from "lucide-react"
import { useEffect, useRef, type KeyboardEvent, useState, useMemo } from "react"
import { v7 as newId } from "uuid"
import { Link, Router, type BaseLocationHook } from "wouter"
import type { MessagePart } from "../../../../shared/contract/chat.ts"
import type { FolderEntry } from "../../../../shared/contract/folders.ts"
import { useConversation } from "../../../data/chats/conversations.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { describeError } from "../../../lib/box.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"
import { shortcutName, useWindowKeys } from "../../../lib/keys/shortcut.ts"
import { navigate } from "../../../lib/navigation/hash-location.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { useRemembered } from "../../../lib/remembered.ts"
import { showError } from "../../../lib/toasts.ts"
import { citedSources } from "../../../ui/markdown/citations.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { LazyMarkdown } from "../../../ui/markdown/LazyMarkdown.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { ReadingLine } from "../answer/Answer.tsx"
import { useChatSession } from "../session/chat-sessions.ts"
import { plainText, shownMessages } from "../session/chat-view.ts"
import type { ReadingProgress } from "../session/live-answer.ts"

interface QuickAnswerProps {
  parts: MessagePart[]
  growing: boolean
  /** Reading progress before any text has arrived. */
  reading: ReadingProgress | undefined
}

/** Shows an answer's text, errors and cited documents. Everything else is in the main window. */
function QuickAnswer({ parts, growing, reading }: QuickAnswerProps) {
  const hasText = parts.some((part) => part.type === "text" || part.type === "error")
  const sources = parts.filter((part) => part.type === "source")
  const cited = growing ? [] : citedSources(plainText(parts), sources)
  const files = [...new Map(cited.map((source) => [source.fileId, source])).values()]
  return (
    <article aria-label={t("frame:quickAsk.answer")} className="flex flex-col gap-3">
      {parts.map((part, index) => (
        // Parts are only ever appended.
        // oxlint-disable-next-line react/no-array-index-key
        <Part key={index} part={part} growing={growing && index === parts.length - 1} />
      ))}
      {reading && <ReadingLine reading={reading} />}
      {growing && !hasText && !reading && <Spinner label={t("frame:quickAsk.answering")} />}
      {files.length > 0 && (
        <ul aria-label={t("frame:quickAsk.sources")} className="flex flex-wrap gap-2">
          {files.map(({ fileId, fileName, vectorId }) => (
            <li key={fileId} className="min-w-0">
              <Link
                href={routes.file(vectorId, fileId)}
                className="flex max-w-64 items-center gap-1.5 rounded-md border border-line px-2 py-1 text-xs text-soft hover:bg-hover hover:text-ink"
              >
                <FileText className="size-3.5 shrink-0" aria-hidden />
                <span className="min-w-0 truncate" title={fileName}>
                  <MiddleCut text={fileName} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

function Part({ part, growing }: { part: MessagePart; growing: boolean }) {
  if (part.type === "text") return <LazyMarkdown text={part.text} growing={growing} />
  if (part.type === "notice") return <Note>{toPageLanguage(part.message, part.sentence)}</Note>
  if (part.type === "error") return <Note kind="error">{toPageLanguage(part.error, part.sentence)}</Note>
  return null
}

interface QuickComposerProps {
  text: string
  onTextChange: (text: string) => void
  onSubmit: () => void
  folders: FolderEntry[]
  /** The folders that the answer may use: "" for none, "all", or a folder id. */
  scope: string
  onScopeChange: (scope: string) => void
  /** Set while an answer is being written. */
  onStop: (() => void) | undefined
}

/** The question field and the choice of folders to search. Enter asks. */
function QuickComposer(props: QuickComposerProps) {
  const { text, onTextChange, onSubmit, folders, scope, onScopeChange, onStop } = props
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  const canAsk = text.trim() !== "" && !onStop

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canAsk) onSubmit()
  }

  return (
    <div className="m-4 mt-1 flex items-end gap-2 rounded-xl border border-line-strong bg-field p-2 pl-3 focus-within:border-accent">
      <textarea
        ref={area}
        aria-label={t("frame:quickAsk.question")}
        placeholder={t("frame:quickAsk.placeholder")}
        rows={1}
        value={text}
        onChange={(event) => onTextChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-32 min-h-7 min-w-0 flex-1 resize-none py-1 leading-relaxed focus-visible:outline-none"
      />
      {folders.length > 0 && (
        <select
          aria-label={t("frame:quickAsk.scope")}
          value={scope}
          onChange={(event) => onScopeChange(event.target.value)}
          className="h-8 max-w-40 rounded-md bg-field px-1 text-sm text-soft"
        >
          <option value="">{t("frame:quickAsk.noFolders")}</option>
          <option value="all">{t("frame:quickAsk.allFolders")}</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {onStop ? (
        <IconButton label={t("frame:quickAsk.stop")} onClick={onStop} variant="interim">
          <Square className="fill-current" aria-hidden />
        </IconButton>
      ) : (
        <IconButton
          label={t("frame:quickAsk.ask")}
          keys={shortcutName("send")}
          onClick={onSubmit}
          disabled={!canAsk}
          variant="main"
        >
          <ArrowUp aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

interface QuickChatProps {
  chatId: string
  /** Increases each time the window comes to the front; the question field then gets the focus. */
  shown: number
  onAsked: () => void
}

const isText = (value: unknown): value is string => typeof value === "string"

/** One short chat: the latest question and answer, and a follow-up. */
function QuickChat({ chatId, shown, onAsked }: QuickChatProps) {
  const [session, { phase, turn }] = useChatSession(chatId)
  const [text, setText] = useState("")
  const [scope, setScope] = useRemembered("quick-ask-scope", "", isText)
  const [asked, setAsked] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const conversation = useConversation(chatId, undefined, asked)
  const { data: folders = [] } = useFolders()

  const messages = shownMessages(conversation.data?.messages ?? [], turn)
  const answer = messages.at(-1)
  const question = messages.findLast(({ role }) => role === "user")

  const folderIds = folders.map(({ id }) => id).filter((id) => scope === "all" || scope === id)

  async function ask() {
    const question = text.trim()
    setFailure(undefined)
    setText("")
    try {
      await session.ask(conversation.data?.messages ?? [], question, folderIds)
      setAsked(true)
      onAsked()
    } catch (error) {
      setFailure(error)
      setText(question)
    }
  }

  return (
    <>
      <QuickComposer
        key={shown}
        text={text}
        onTextChange={setText}
        onSubmit={() => void ask()}
        folders={folders}
        scope={folderIds.length > 0 ? scope : ""}
        onScopeChange={setScope}
        onStop={
          phase === "idle"
            ? undefined
            : () => {
                session.stop().catch(showError)
              }
        }
      />
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        role="log"
        aria-label={t("frame:quickAsk.answer")}
        className="min-h-0 flex-1 overflow-y-auto px-4 pb-4"
      >
        {failure !== undefined && <Note kind="error">{describeError(failure)}</Note>}
        {question && <p className="mb-2 line-clamp-2 text-sm text-soft">{question.content}</p>}
        {answer?.role === "assistant" && (
          <QuickAnswer parts={answer.parts} growing={answer.growing} reading={answer.reading} />
        )}
      </div>
    </>
  )
}

/** Opens an in-app route in the main window. */
function openInMain(route: string): void {
  const shell = shellBridge()
  if (shell) void shell.openInMain(route)
  else navigate(route)
}

/** Links in this small window open in the main one. */
const useMainLocation: BaseLocationHook = Object.assign(
  (): [string, (to: string) => void] => [routes.quickAsk, openInMain],
  { hrefs: (href: string) => `#${href}` },
)

/** A small window for asking a question from anywhere, with the answer below it. Esc hides the window; the answer continues. */
export function QuickAsk() {
  const [chatId, setChatId] = useState(() => newId())
  const [asked, setAsked] = useState(false)
  const [shown, setShown] = useState(0)
  const startOver = useMemo(
    () => () => {
      setChatId(newId())
      setAsked(false)
    },
    [],
  )
  useEffect(() => shellBridge()?.on("quickAskShown", () => setShown((count) => count + 1)), [])
  useWindowKeys((event) => {
    if (event.key !== "Escape") return
    event.preventDefault()
    void shellBridge()?.hideQuickAsk()
  })

  return (
    // oxlint-disable-next-line react/hooks -- wouter takes its hook as a value
    <Router hook={useMainLocation}>
      <main aria-label={t("frame:quickAsk.name")} className="flex h-full flex-col bg-canvas">
        <header className="flex h-10 shrink-0 items-center gap-1 pr-2 pl-4 [app-region:drag] [&_button]:[app-region:no-drag]">
          <img src="/casella.svg" alt="" className="size-4" />
          <h1 className="ml-1.5 flex-1 text-sm font-medium text-soft">{t("frame:quickAsk.name")}</h1>
          {asked && (
            <>
              <IconButton label={t("frame:quickAsk.again")} onClick={startOver}>
                <Plus aria-hidden />
              </IconButton>
              <IconButton
                label={t("frame:quickAsk.openInCasella")}
                onClick={() => openInMain(routes.chat(chatId))}
              >
                <ExternalLink aria-hidden />
              </IconButton>
            </>
          )}
        </header>
        <QuickChat key={chatId} chatId={chatId} shown={shown} onAsked={() => setAsked(true)} />
      </main>
    </Router>
  )
}
