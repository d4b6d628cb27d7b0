import { t } from "i18next"
import { Pencil, Pin, PinOff, SquarePen, Trash2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import type { Project } from "../../../shared/contract/projects.ts"
import { useProjectChats } from "../../data/chats/conversations.ts"
import { useUpdateProject } from "../../data/projects.ts"
import { usePin } from "../../data/settings.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { Dialog, DialogActions, ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { maxNameLength } from "./ProjectFields.tsx"
import { projectDeletions } from "./project-deletions.ts"

function RenameProjectDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const [name, setName] = useState(project.name)
  const update = useUpdateProject(project.id)
  return (
    <Dialog open onClose={onClose} title={t("projects:renameTitle")}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ name: name.trim() }, { onSuccess: onClose })
        }}
      >
        <TextField
          label={t("projects:name")}
          value={name}
          maxLength={maxNameLength}
          onChange={(event) => setName(event.target.value)}
          error={update.error ? describeError(update.error) : undefined}
        />
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={name.trim() === ""}>
            {t("projects:rename")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface ProjectActionsProps {
  project: Project
  trigger: MenuTrigger
  defaultOpen?: boolean
}

/** The menu of a project: new chat, pin, rename and delete. */
export function ProjectActions({ project, trigger, defaultOpen = false }: ProjectActionsProps) {
  const { id, name } = project
  const [open, setOpen] = useState<"rename" | "delete">()
  const [, navigate] = useLocation()
  const [pinned, togglePin] = usePin({ kind: "project", id })
  const close = () => setOpen(undefined)
  return (
    <>
      <Menu defaultOpen={defaultOpen} trigger={trigger}>
        <MenuItem onSelect={() => navigate(routes.newChatInProject(id))}>
          <SquarePen aria-hidden /> {t("projects:newChat")}
        </MenuItem>
        <MenuItem onSelect={togglePin}>
          {pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
          {t(pinned ? "projects:unpin" : "projects:pin")}
        </MenuItem>
        <MenuItem onSelect={() => setOpen("rename")}>
          <Pencil aria-hidden /> {t("projects:rename")}
        </MenuItem>
        <MenuItem danger onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden /> {t("projects:delete")}
        </MenuItem>
      </Menu>
      {open === "rename" && <RenameProjectDialog project={project} onClose={close} />}
      {open === "delete" && (
        <DeleteProject
          project={project}
          onClose={close}
          onConfirm={() => void projectDeletions.remove({ id, name })}
        />
      )}
    </>
  )
}

interface DeleteProjectProps {
  project: Project
  onClose: () => void
  onConfirm: () => void
}

/** Says what happens to the project's chats. */
function DeleteProject({ project, onClose, onConfirm }: DeleteProjectProps) {
  const { data } = useProjectChats(project.id)
  const count = data?.pages[0]?.pagination.total
  if (count === undefined) return null
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={onConfirm}
      title={t("projects:deleteTitle", { name: project.name })}
      description={count === 0 ? t("projects:deleteEmpty") : t("projects:deleteText", { count })}
      confirmLabel={t("projects:delete")}
    />
  )
}
