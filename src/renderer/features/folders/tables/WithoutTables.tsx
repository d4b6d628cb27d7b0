import { t } from "i18next"
import type { FileWithoutTables } from "../../../../shared/contract/tables.ts"
import { Note } from "../../../ui/Note.tsx"

const reasons = ["making", "folder_full", "limits", "unreadable", "unavailable"] as const
const mostNamed = 3

/** Which spreadsheets have no tables, or none yet, and why. */
export function WithoutTables({ files }: { files: readonly FileWithoutTables[] }) {
  return reasons
    .map((why) => ({ why, ofThese: files.filter((file) => file.why === why) }))
    .filter(({ ofThese }) => ofThese.length > 0)
    .map(({ why, ofThese }) => (
      <div key={why} className="px-4 pt-3">
        <Note kind={why === "making" ? "info" : "warning"}>
          {t(`folders:tables.without.${why}`, { count: ofThese.length })}{" "}
          {ofThese.slice(0, mostNamed).map(nameOf).join(", ")}
          {ofThese.length > mostNamed && ", …"}
        </Note>
      </div>
    ))
}

const nameOf = ({ fileName }: FileWithoutTables): string => fileName
