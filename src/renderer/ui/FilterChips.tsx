import { t } from "i18next"
import { X } from "lucide-react"
import type { FileFilter } from "../../shared/contract/file-filter.ts"
import { listConditions, removeCondition } from "../lib/file-filter.ts"
import { classNames } from "./class-names.ts"
import { IconButton } from "./controls/Button.tsx"

interface FilterChipsProps {
  filter: FileFilter
  onChange: (filter: FileFilter) => void
  className?: string
}

/** The conditions that narrow a search, each with a button that removes it. */
export function FilterChips({ filter, onChange, className }: FilterChipsProps) {
  return (
    <ul
      aria-label={t("narrowing:label")}
      className={classNames("flex flex-wrap items-center gap-1.5", className)}
    >
      {listConditions(filter).map((condition) => {
        const name = t(`narrowing:${condition.field}`, { value: condition.shown })
        return (
          <li
            key={`${condition.field} ${condition.value}`}
            className="flex h-8 max-w-full items-center gap-1 rounded-lg bg-well pl-2.5 text-sm sm:max-w-72"
          >
            <span className="min-w-0 truncate" title={name}>
              {name}
            </span>
            <IconButton
              label={t("narrowing:remove", { name })}
              onClick={() => onChange(removeCondition(filter, condition))}
            >
              <X aria-hidden />
            </IconButton>
          </li>
        )
      })}
    </ul>
  )
}
