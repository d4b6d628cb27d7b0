import { t } from "i18next"
import { Layers } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { useUpdateConversation } from "../../data/chats/conversations.ts"
import { useProjects } from "../../data/projects.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/places/routes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"

const searchFrom = 8

interface MoveDialogProps {
  chat: Pick<ConversationSummary, "id" | "title" | "projectId">
  onClose: () => void
}

/** Moves a chat into a project. */
export function MoveDialog({ chat, onClose }: MoveDialogProps) {
  const { data: projects = [] } = useProjects()
  const [search, setSearch] = useState("")
  const [chosen, setChosen] = useState(chat.projectId)
  const update = useUpdateConversation(chat.id)
  const wanted = search.trim().toLowerCase()
  const shown = projects.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("projects:move.title", { title: chat.title })}
      description={t("projects:move.text")}
    >
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ projectId: chosen }, { onSuccess: onClose })
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
        {update.error && <Note kind="error">{describeError(update.error)}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={update.isPending}
            disabled={chosen === chat.projectId}
          >
            {t("projects:move.action")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
