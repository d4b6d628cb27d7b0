import { t } from "i18next"
import { Layers, CalendarClock, Download, Pencil, Pin, PinOff, Trash2, Undo2 } from "lucide-react"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { useUpdateConversation, useMoveChats } from "../../data/chats/conversations.ts"
import { useProjects } from "../../data/projects.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { showError } from "../../lib/toasts.ts"
import { Note } from "../../ui/Note.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { exportChats } from "./export-chat.ts"

interface RenameDialogProps {
  chatId: string
  title: string
  onClose: () => void
}

export function RenameDialog({ chatId, title, onClose }: RenameDialogProps) {
  const [text, setText] = useState(title)
  const rename = useUpdateConversation(chatId)
  return (
    <Dialog open onClose={onClose} title={t("conversations:rename.title")}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate({ title: text.trim() }, { onSuccess: onClose })
        }}
      >
        <TextField
          label={t("conversations:rename.field")}
          value={text}
          maxLength={300}
          onChange={(event) => setText(event.target.value)}
          error={rename.error ? describeError(rename.error) : undefined}
        />
        <DialogActions>
          <Button onClick={onClose}>{t("conversations:cancel")}</Button>
          <Button type="submit" variant="primary" busy={rename.isPending} disabled={text.trim() === ""}>
            {t("conversations:rename.action")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const searchFrom = 8

interface MoveDialogProps {
  chats: readonly Pick<ConversationSummary, "id" | "title" | "projectId">[]
  onClose: () => void
  onMoved?: () => void
}

/** Moves chats into a project. */
export function MoveDialog({ chats, onClose, onMoved }: MoveDialogProps) {
  const { data: projects = [] } = useProjects()
  const [search, setSearch] = useState("")
  const [before, ...others] = new Set(chats.map(({ projectId }) => projectId))
  const current = others.length > 0 ? null : (before ?? null)
  const [chosen, setChosen] = useState(current)
  const move = useMoveChats()
  const wanted = search.trim().toLowerCase()
  const shown = projects.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("projects:move.title", { count: chats.length, title: chats[0]?.title })}
      description={t("projects:move.text", { count: chats.length })}
    >
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          const ids = chats.map(({ id }) => id)
          move.mutate(
            { ids, projectId: chosen },
            {
              onSuccess() {
                onClose()
                onMoved?.()
              },
            },
          )
        }}
      >
        {projects.length >= searchFrom && (
          <SearchField label={t("projects:find")} value={search} onChange={setSearch} />
        )}
        {projects.length === 0 ? (
          <p className="text-sm text-soft">
            {t("projects:none")}.{" "}
            <Link href={routes.newProject} className="text-accent underline underline-offset-2">
              {t("projects:makeOne")}
            </Link>
          </p>
        ) : (
          <fieldset className="max-h-72 overflow-y-auto rounded-lg border border-line p-1">
            <legend className="sr-only">{t("projects:title")}</legend>
            {shown.map(({ id, name }) => (
              <label
                key={id}
                title={name}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent"
              >
                <input
                  type="radio"
                  name="project"
                  checked={chosen === id}
                  onChange={() => setChosen(id)}
                  className="size-4 shrink-0 accent-solid focus-visible:outline-none"
                />
                <Layers className="size-4 shrink-0 text-soft" aria-hidden />
                <span className="min-w-0 truncate">{name}</span>
              </label>
            ))}
            {shown.length === 0 && <p className="p-2 text-sm text-soft">{t("projects:noneFound")}</p>}
          </fieldset>
        )}
        {move.error && <Note kind="error">{describeError(move.error)}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={move.isPending} disabled={chosen === current}>
            {t("projects:move.action")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The fields of a chat that its menu needs. */
export type MenuChat = Pick<ConversationSummary, "id" | "title" | "pinned" | "projectId">

/** Pin, rename, move, export and delete. */
export function ConversationActions({ chat, trigger }: { chat: MenuChat; trigger: MenuTrigger }) {
  const { id, title, pinned, projectId } = chat
  const [renaming, setRenaming] = useState(false)
  const [moving, setMoving] = useState(false)
  const [, navigate] = useLocation()
  const update = useUpdateConversation(id)

  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        <MenuItem onSelect={() => update.mutate({ pinned: !pinned }, { onError: showError })}>
          {pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
          {pinned ? t("conversations:unpin") : t("conversations:pin")}
        </MenuItem>
        <MenuItem onSelect={() => setRenaming(true)}>
          <Pencil aria-hidden /> {t("conversations:rename.action")}
        </MenuItem>
        <MenuItem onSelect={() => setMoving(true)}>
          <Layers aria-hidden /> {t("conversations:move")}
        </MenuItem>
        {projectId !== null && (
          <MenuItem onSelect={() => update.mutate({ projectId: null }, { onError: showError })}>
            <Undo2 aria-hidden /> {t("conversations:takeOut")}
          </MenuItem>
        )}
        <MenuItem onSelect={() => navigate(workRoutes.newWith("chat", id))}>
          <CalendarClock aria-hidden /> {t("automations:fromChat")}
        </MenuItem>
        <MenuItem onSelect={() => void exportChats([id]).catch(showError)}>
          <Download aria-hidden /> {t("conversations:export.action")}
        </MenuItem>
        <MenuItem danger onSelect={() => void chatDeletions.remove({ id, title })}>
          <Trash2 aria-hidden /> {t("conversations:delete")}
        </MenuItem>
      </Menu>
      {renaming && <RenameDialog chatId={id} title={title} onClose={() => setRenaming(false)} />}
      {moving && <MoveDialog chats={[chat]} onClose={() => setMoving(false)} />}
    </>
  )
}

export interface WantedDialog {
  what: "rename" | "move"
  chat: MenuChat
}

/** A dialog of the chat's menu, for use outside that menu. */
export const ChatDialog = ({
  wanted: { what, chat },
  onClose,
}: {
  wanted: WantedDialog
  onClose: () => void
}) =>
  what === "rename" ? (
    <RenameDialog chatId={chat.id} title={chat.title} onClose={onClose} />
  ) : (
    <MoveDialog chats={[chat]} onClose={onClose} />
  )
