import { t } from "i18next"
import { Table2 } from "lucide-react"
import { useState } from "react"
import { useTables } from "../../../data/folders/tables.ts"
import { describeError } from "../../../lib/box.ts"
import { EmptyState } from "../../../ui/PageParts.tsx"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { TableList } from "./TableList.tsx"
import { TableView } from "./TableView.tsx"
import { WithoutTables } from "./WithoutTables.tsx"

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
