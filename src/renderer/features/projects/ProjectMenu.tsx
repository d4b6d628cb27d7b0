import { t } from "i18next"
import type { Project } from "../../../shared/contract/projects.ts"
import { later } from "../../lib/later.ts"
import { RowMenu } from "../../ui/layers/Menu.tsx"

const ProjectActions = later(async () => (await import("./ProjectActions.tsx")).ProjectActions)

/** The menu of actions at the end of a project's row. */
export function ProjectMenu({ project }: { project: Project }) {
  return (
    <RowMenu
      label={t("projects:actions", { name: project.name })}
      className="mr-0.5 w-0 opacity-0 group-focus-within/link:w-7 group-focus-within/link:opacity-100 group-hover/link:w-7 group-hover/link:opacity-100 data-[state=open]:w-7 data-[state=open]:opacity-100 no-hover:w-7 no-hover:opacity-100"
      renderMenu={(trigger) => <ProjectActions project={project} trigger={trigger} defaultOpen />}
    />
  )
}
