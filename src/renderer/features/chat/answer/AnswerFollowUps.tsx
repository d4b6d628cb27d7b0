import { t } from "i18next"
import { RotateCcw, StepForward, GitBranchPlus, ListTree } from "lucide-react"
import { useState } from "react"
import { useConversation, forkConversation } from "../../../data/chats/conversations.ts"
import { useQueue } from "../../../data/chats/queue.ts"
import { useAreFilesRead } from "../../../data/chats/reading.ts"
import { navigateIfIdle } from "../../../lib/navigation/hash-location.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { routes, factKinds } from "../../../lib/navigation/routes.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button, IconButton, ButtonLink } from "../../../ui/controls/Button.tsx"

interface AskAgainProps {
  chatId: string
  messageId: string
  onAsk: () => void
}

/** Offers to ask a chat's newest question again, after the files missing from its answer have been read. */
export function AskAgain({ chatId, messageId, onAsk }: AskAgainProps) {
  const { data: chat } = useConversation(chatId, undefined, true)
  const queue = useQueue(chatId)
  const areRead = useAreFilesRead(chatId, messageId)
  // An earlier version has already been asked again, and so has one whose question is queued.
  const isNewest = chat?.messages.at(-1)?.id === messageId
  if (!areRead || !isNewest || queue?.length !== 0) return null
  return (
    <Note
      kind="info"
      action={
        <Button onClick={onAsk}>
          <RotateCcw aria-hidden /> {t("longChats:askAgain")}
        </Button>
      }
    >
      {t("longChats:areIn")}
    </Note>
  )
}

/** Continues an answer that was cut off. */
export function ContinueButton({ onContinue }: { onContinue: (question: string) => void }) {
  return (
    <Button className="self-start" onClick={() => onContinue(t("longChats:continueQuestion"))}>
      <StepForward aria-hidden /> {t("longChats:continue")}
    </Button>
  )
}

interface ForkButtonProps {
  chatId: string
  /** The answer from which the new chat continues. */
  messageId: string
}

/** Creates a new chat with all messages up to here. */
export function ForkButton({ chatId, messageId }: ForkButtonProps) {
  const [forking, setForking] = useState(false)
  async function fork() {
    setForking(true)
    const open = navigateIfIdle()
    try {
      const { id, title } = await forkConversation(chatId, messageId)
      open(routes.chat(id))
      showToast(t("longChats:forked", { title }))
    } catch (error) {
      showError(error)
    } finally {
      setForking(false)
    }
  }
  return (
    <IconButton label={t("longChats:fork")} disabled={forking} onClick={() => void fork()}>
      <GitBranchPlus aria-hidden />
    </IconButton>
  )
}

/** When a question couldn't be answered by reading everything, links to what the folder, or its only file, shows without a model. */
export function WithoutReading({ chatId }: { chatId: string }) {
  const { data: chat } = useConversation(chatId, undefined, true)
  const openDocument = useOpenDocument()
  const files = chat?.messages.findLast(({ role }) => role === "user")?.askedFiles ?? []
  const [only] = files.length === 1 ? files : []
  if (only)
    return (
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() =>
            openDocument({
              vectorId: only.vectorId,
              fileId: only.fileId,
              fileName: only.name,
              showsOutline: true,
            })
          }
        >
          <ListTree aria-hidden /> {t("pages:asOutline")}
        </Button>
      </div>
    )
  const [folderId] = chat?.vectorIds ?? []
  if (folderId === undefined) return null
  return (
    <nav
      aria-label={t("templates:withoutModel")}
      className="flex flex-wrap items-center gap-2 text-sm text-soft"
    >
      {t("templates:withoutModel")}
      {factKinds.map((kind) => (
        <ButtonLink key={kind} href={routes.folderFacts(folderId, kind)}>
          {t(`overview:kind.${kind}`)}
        </ButtonLink>
      ))}
      <ButtonLink href={routes.folderTab(folderId, "overview")}>{t("overview:terms")}</ButtonLink>
    </nav>
  )
}
