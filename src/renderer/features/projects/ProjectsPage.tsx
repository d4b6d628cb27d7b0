import { t } from "i18next"
import { Layers, Plus } from "lucide-react"
import { useState, useRef } from "react"
import { Link, useLocation } from "wouter"
import type { Project } from "../../../shared/contract/projects.ts"
import { useCreateProject, useProjects } from "../../data/projects.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Note } from "../../ui/Note.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { useVirtualRows } from "../../ui/scrolling.ts"
import { emptyForm, ProjectFields } from "./ProjectFields.tsx"
import { projectDeletions } from "./project-deletions.ts"

interface NewProjectDialogProps {
  onClose: () => void
  onMade: (project: Project) => void
}

function NewProjectDialog({ onClose, onMade }: NewProjectDialogProps) {
  const [form, setForm] = useState(emptyForm)
  const create = useCreateProject()
  const issues = getIssues(create.error, Object.keys(emptyForm))
  return (
    <Dialog open onClose={onClose} title={t("projects:new")} description={t("projects:what")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ ...form, name: form.name.trim() }, { onSuccess: onMade })
        }}
      >
        <ProjectFields
          form={form}
          issues={issues}
          onChange={(part) => {
            if (create.isError) create.reset()
            setForm({ ...form, ...part })
          }}
        />
        {issues.other !== undefined && <Note kind="error">{issues.other}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={form.name.trim() === ""}>
            {t("projects:create")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const rowHeight = 52
const searchFrom = 8

/** All projects, and a way to create one. */
export function ProjectsPage({ creating }: { creating: boolean }) {
  const { data, error } = useProjects()
  const leaving = projectDeletions.useLeaving()
  const projects = data?.filter(({ id }) => !leaving.has(id))
  const [search, setSearch] = useState("")
  const [, navigate] = useLocation()
  const create = () => navigate(routes.newProject)
  const wanted = search.trim().toLowerCase()
  const shown = projects?.filter(({ name }) => name.toLowerCase().includes(wanted)) ?? []
  return (
    <section aria-label={t("projects:title")} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("projects:title")}>
        <Button variant="primary" onClick={create}>
          <Plus aria-hidden /> {t("projects:new")}
        </Button>
      </PageHeader>
      {error && (
        <div className="p-4">
          <Note kind="error">{describeError(error)}</Note>
        </div>
      )}
      {projects?.length === 0 && (
        <EmptyState
          icon={Layers}
          title={t("projects:none")}
          action={<Button onClick={create}>{t("projects:makeOne")}</Button>}
        >
          {t("projects:what")}
        </EmptyState>
      )}
      {projects && projects.length >= searchFrom && (
        <div className="px-4 pt-3">
          <SearchField label={t("projects:find")} value={search} onChange={setSearch} />
        </div>
      )}
      {wanted !== "" && shown.length === 0 && (
        <p className="px-5 py-3 text-sm text-soft">{t("projects:noneFound")}</p>
      )}
      {shown.length > 0 && <Rows projects={shown} />}
      {creating && (
        <NewProjectDialog
          onClose={() => navigate(routes.projects, { replace: true })}
          onMade={({ id }) => navigate(routes.project(id), { replace: true })}
        />
      )}
    </section>
  )
}

function Rows({ projects }: { projects: Project[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualRows({ count: projects.length, scroller, estimateSize: () => rowHeight })
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto p-2">
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, size, start }) => {
          const project = projects[index]
          return (
            project && (
              <li
                key={project.id}
                className="absolute inset-x-0 top-0"
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <ProjectRow project={project} />
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

function ProjectRow({ project: { id, name, instructions, vectorIds } }: { project: Project }) {
  return (
    <Link
      href={routes.project(id)}
      className="flex h-full items-center gap-3 rounded-lg px-3 transition-colors hover:bg-hover"
    >
      <Layers className="size-4 shrink-0 text-soft" aria-hidden />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium" title={name}>
          {name}
        </span>
        <span className="block truncate text-xs text-faint">
          {instructions.slice(0, 200) || t("projects:noInstructions")}
        </span>
      </span>
      {vectorIds.length > 0 && (
        <span className="shrink-0 text-xs text-soft tabular-nums">
          {t("projects:folderCount", { count: vectorIds.length })}
        </span>
      )}
    </Link>
  )
}
