import { t } from "i18next"
import { ArrowDown, ArrowUp } from "lucide-react"
import type { FileSort } from "../../../../shared/contract/files.ts"
import type { FileFilter } from "../../../data/folders/files.ts"
import { classNames } from "../../../ui/class-names.ts"
import { fileColumns } from "./FileRow.tsx"
import { maxPicked } from "./picked.ts"

interface TableHeadProps {
  total: number | undefined
  height: number
  sort: FileFilter["sort"]
  onSort: (sort: FileFilter["sort"]) => void
  pickedCount: number
  onPickAll: (isPicked: boolean) => void
}

/** Column headers. Clicking one sorts up, down, then in the original order. */
export function TableHead({ total, height, sort, onSort, pickedCount, onPickAll }: TableHeadProps) {
  const hasAll = pickedCount > 0 && pickedCount >= Math.min(total ?? 0, maxPicked)
  const column = (by: FileSort, name: string, alignment = "") => (
    <th
      className={classNames("min-w-0 font-normal", alignment === "" ? "text-left" : alignment)}
      aria-sort={sort?.by === by ? (sort.order === "asc" ? "ascending" : "descending") : "none"}
    >
      <button
        type="button"
        onClick={() => onSort(next(sort, by))}
        className="inline-flex max-w-full items-center gap-1 rounded hover:text-ink"
      >
        <span className="truncate">{name}</span>
        {sort?.by === by && <Arrow order={sort.order} />}
      </button>
    </th>
  )
  return (
    <thead className="sticky top-0 z-10 block border-b border-line bg-canvas text-xs text-faint">
      <tr className={`${fileColumns} px-4`} style={{ height }}>
        <th className="flex font-normal">
          <input
            type="checkbox"
            aria-label={t("folders:pick.all")}
            ref={(box) => {
              if (box) box.indeterminate = pickedCount > 0 && !hasAll
            }}
            checked={hasAll}
            onChange={({ target }) => onPickAll(target.checked)}
            className="size-4 accent-solid"
          />
        </th>
        {column("name", total === undefined ? t("folders:table.name") : t("fileCount", { count: total }))}
        {column("state", t("folders:table.state"))}
        {column("size", t("folders:table.size"), "hidden text-right @2xl:block")}
        {column("modified", t("folders:table.changed"), "hidden text-right @2xl:block")}
        <th className="sr-only">{t("folders:table.actions")}</th>
      </tr>
    </thead>
  )
}

function Arrow({ order }: { order: "asc" | "desc" }) {
  const Icon = order === "asc" ? ArrowUp : ArrowDown
  return <Icon aria-hidden className="size-3 shrink-0" />
}

/** Dates and sizes start with the newest and the largest. */
function next(sort: FileFilter["sort"], by: FileSort): FileFilter["sort"] {
  const first = by === "size" || by === "modified" ? "desc" : "asc"
  if (sort?.by !== by) return { by, order: first }
  if (sort.order === first) return { by, order: first === "asc" ? "desc" : "asc" }
  return undefined
}
