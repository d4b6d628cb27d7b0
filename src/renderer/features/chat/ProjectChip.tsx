import { t } from "i18next"
import { Layers } from "lucide-react"
import { useState } from "react"
import { useProject } from "../../data/projects.ts"
import { classNames } from "../../ui/class-names.ts"
import { Popover } from "../../ui/layers/Popover.tsx"
import { ProjectContext } from "./OfProject.tsx"

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
