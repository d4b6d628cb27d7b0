import { t } from "i18next"
import { Bot, Layers } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import type { Project } from "../../../shared/contract/projects.ts"
import { useAssistants } from "../../data/assistants.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { useProject } from "../../data/projects.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { classNames } from "../../ui/class-names.ts"
import { Popover } from "../../ui/layers/Popover.tsx"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"

/** The instructions, folders and assistant that a chat inherits from its project. */
function ProjectContext({ project }: { project: Project }) {
  const { data: folders = [] } = useFolders()
  const { data: assistants = [] } = useAssistants()
  const own = folders.filter(({ id }) => project.vectorIds.includes(id))
  const assistant = assistants.find(({ id }) => id === project.assistantId)
  const isBare = project.instructions === "" && own.length === 0 && !assistant
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="font-medium break-words">{project.name}</p>
      {isBare && <p className="text-soft">{t("projects:givesNothing")}</p>}
      {project.instructions !== "" && (
        <div>
          <p className="text-xs text-faint">{t("projects:instructions")}</p>
          <p className="mt-0.5 line-clamp-6 break-words whitespace-pre-line">{project.instructions}</p>
        </div>
      )}
      {own.length > 0 && (
        <div>
          <p className="text-xs text-faint">{t("projects:folders")}</p>
          <ul className="mt-0.5 max-h-40 overflow-y-auto">
            {own.map((folder) => (
              <li key={folder.id}>
                <Link
                  href={routes.folder(folder.id)}
                  title={folder.name}
                  className="-mx-1.5 flex h-7 items-center gap-2 rounded-md px-1.5 hover:bg-hover"
                >
                  <FolderIcon folder={folder} />
                  <span className="truncate">{folder.name}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      {assistant && (
        <p className="flex min-w-0 items-center gap-2" title={t("projects:assistant")}>
          <Bot className="size-4 shrink-0 text-soft" aria-hidden />
          <span className="truncate">{assistant.name}</span>
        </p>
      )}
      <Link href={routes.project(project.id)} className="self-start text-accent underline underline-offset-2">
        {t("projects:open")}
      </Link>
    </div>
  )
}

interface ProjectChipProps {
  projectId: string
  /** Whether the chat has its own title, which takes precedence over the project name when space is limited. */
  titled: boolean
}

/** Shows a chat's project. A click shows what the chat inherits from it. */
export function ProjectChip({ projectId, titled }: ProjectChipProps) {
  const [open, setOpen] = useState(false)
  const project = useProject(projectId)
  if (!project) return null
  const label = t("projects:chip", { name: project.name })
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={label}
      side="bottom"
      className="w-80 rounded-lg p-3"
      trigger={
        <button
          type="button"
          title={label}
          aria-label={label}
          className="flex h-7 max-w-40 min-w-0 items-center gap-1.5 rounded-md px-2 text-sm text-soft transition-colors hover:bg-hover hover:text-ink data-[state=open]:bg-selected"
        >
          <Layers className="size-4 shrink-0" aria-hidden />
          <span className={classNames("truncate", titled && "@max-xl:sr-only")}>{project.name}</span>
        </button>
      }
    >
      <ProjectContext project={project} />
    </Popover>
  )
}
