import { t } from "i18next"
import { forgetAssistant } from "../../data/assistants.ts"
import { createUndoable } from "../../data/undoable.ts"
import { box } from "../../lib/box.ts"

export const assistantDeletions = createUndoable<{ id: string; name: string }>({
  key: "deleted-assistants",
  describe: (assistants) => ({
    text: t("assistants:deleted", { count: assistants.length }),
    detail: assistants.at(-1)?.name ?? "",
  }),
  remove: ({ id }) => box.assistants.remove({ params: { id } }),
  refresh: (assistants) => Promise.all(assistants.map(({ id }) => forgetAssistant(id))),
})
