import { t } from "i18next"
import { Table2 } from "lucide-react"
import { useState } from "react"
import type { FileWithoutTables } from "../../../../shared/contract/tables.ts"
import { useTables } from "./table-queries.ts"
import { describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { EmptyState } from "../../../ui/PageParts.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { TableList, TableView } from "./TableView.tsx"

const tableProblems = ["folder_full", "limits", "unreadable", "unavailable"] as const
const maxNamed = 3

/** Lists spreadsheets without tables, or without tables yet, and why. */
function WithoutTables({ files }: { files: readonly FileWithoutTables[] }) {
  const filterByReason = (why: FileWithoutTables["why"]) => files.filter((file) => file.why === why)
  const making = filterByReason("making")
  const lacking = tableProblems
    .map((why) => ({ why, affectedFiles: filterByReason(why) }))
    .filter(({ affectedFiles }) => affectedFiles.length > 0)
  if (files.length === 0) return null
  return (
    // Short enough to leave room for the tables.
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      className="flex max-h-1/2 shrink-0 flex-col gap-2 overflow-y-auto px-4 pt-3 focus-visible:-outline-offset-2"
    >
      {making.length > 0 && (
        <Note>
          {t("folders:tables.without.making", { count: making.length })} {getNames(making)}
        </Note>
      )}
      {lacking.length > 0 && (
        <Note kind="warning">
          {lacking.map(({ why, affectedFiles }) => (
            <p key={why} className="not-first:mt-1">
              {t(`folders:tables.without.${why}`, { count: affectedFiles.length })} {getNames(affectedFiles)}
            </p>
          ))}
        </Note>
      )}
    </div>
  )
}

function getNames(files: readonly FileWithoutTables[]): string {
  const named = files.slice(0, maxNamed).map(({ fileName }) => fileName)
  const more = files.length - named.length
  return named.join(", ") + (more > 0 ? ` ${t("folders:tables.without.more", { count: more })}` : "")
}

/** The tables in a folder's spreadsheets, or the rows of one table. */
export function TablesTab({ folderId }: { folderId: string }) {
  const { data, error, isPending } = useTables(folderId)
  const [shownId, setShownId] = useState<string>()
  const [lastId, setLastId] = useState<string>()
  const shown = data?.tables.find(({ id }) => id === shownId)
  if (isPending)
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("folders:tables.loading")} />
      </div>
    )
  if (error)
    return (
      <div className="p-4">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  if (shown)
    return <TableView key={shown.id} folderId={folderId} table={shown} onBack={() => setShownId(undefined)} />
  const { tables, without } = data
  return (
    <>
      <WithoutTables files={without} />
      {tables.length > 0 ? (
        <TableList
          tables={tables}
          lastId={lastId}
          onChoose={({ id }) => {
            setShownId(id)
            setLastId(id)
          }}
        />
      ) : (
        <EmptyState icon={Table2} title={t("folders:tables.none")}>
          {t("folders:tables.noneHint")}
        </EmptyState>
      )}
    </>
  )
}
