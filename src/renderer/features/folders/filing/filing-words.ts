import { t } from "i18next"
import type { Filing, HistoryEntry } from "../../../../shared/contract/filing.ts"

/** Describes a step in a file's history. */
export function stepWords({ step, action, automation, from, to }: HistoryEntry): string {
  switch (step) {
    case "matched":
      return t("filing:step.matched", { automation: automation ?? "" })
    case "read":
    case "allowed":
    case "denied":
    case "expired":
      return t(`filing:step.${step}`)
    case "proposed":
    case "done":
    case "undone":
      if (action === null) return ""
      if (step === "done" && action === "tag" && to === "") return t("filing:step.done.untag")
      return t(`filing:step.${step}.${action}`, { from: from ?? "", to: to ?? "" })
  }
}

/** Describes a filing. */
export function filingWords({ action, was, became }: Filing, folderName: (id: string) => string): string {
  if (action === "tag" && became.tags.length === 0) return t("filing:step.done.untag")
  const describeState = (as: Filing["became"]): string => {
    if (action === "tag") return as.tags.join(", ")
    if (action !== "move") return as.name
    return [folderName(as.vectorId), ...(as.folder === "" ? [] : [as.folder])].join("/")
  }
  return t(`filing:step.done.${action}`, { from: was ? describeState(was) : "", to: describeState(became) })
}
