import { t } from "i18next"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { useFolderTerms } from "../../../data/folders/file-contents.ts"

interface FolderTermsProps {
  folder: Folder
  onSearch: (term: string) => void
}

/** The key terms of a folder's documents; each one searches the folder. Nothing if there are none. */
export function FolderTerms({ folder, onSearch }: FolderTermsProps) {
  const { data } = useFolderTerms(folder)
  if (!data || data.terms.length === 0) return null
  return (
    <section aria-label={t("overview:terms")} className="px-4 pt-2.5">
      <ul className="flex max-h-18 flex-wrap gap-1 overflow-y-auto p-0.5">
        {data.terms.map(({ term, files }) => (
          <li key={term}>
            <button
              type="button"
              title={t("overview:termHint", { count: files })}
              onClick={() => onSearch(term)}
              className="h-6 max-w-60 truncate rounded-full border border-line px-2.5 text-xs text-soft hover:border-line-strong hover:bg-hover hover:text-ink"
            >
              {term}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
