import { t } from "i18next"
import { refreshProjects } from "../../data/projects.ts"
import { createUndoable } from "../../data/undoable.ts"
import { box } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"

export const projectDeletions = createUndoable<{ id: string; name: string }>({
  key: "deleted-projects",
  describe: (projects) => ({
    text: t("projects:deleted", { count: projects.length }),
    detail: projects.at(-1)?.name ?? "",
  }),
  remove: ({ id }) => box.projects.remove({ params: { id } }),
  refresh: refreshProjects,
  screen: { of: routes.project, instead: routes.projects },
})
