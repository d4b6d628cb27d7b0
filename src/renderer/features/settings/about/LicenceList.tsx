import { t } from "i18next"
import { useDeferredValue, useState } from "react"
import { packages, texts } from "virtual:licences"
import { SearchField } from "../../../ui/controls/SearchField.tsx"

/** All software bundled with Casella, with its licences. */
export function LicenceList() {
  const [search, setSearch] = useState("")
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const found = packages.filter(({ name, licence }) => `${name} ${licence}`.toLowerCase().includes(wanted))
  return (
    <>
      <SearchField label={t("settings:about.searchLicences")} value={search} onChange={setSearch} />
      <output className="my-2 block text-xs text-faint">
        {t("settings:about.packageCount", { count: found.length })}
      </output>
      <ul
        aria-label={t("settings:about.licences")}
        className="divide-y divide-line rounded-lg border border-line text-sm empty:hidden"
      >
        {found.map(({ name, version, licence, text }) => (
          <li key={`${name} ${version}`}>
            <Licence
              name={`${name} ${version}`}
              licence={licence}
              text={text === null ? null : texts[text]}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

interface LicenceProps {
  name: string
  licence: string
  text: string | null | undefined
}

function Licence({ name, licence, text }: LicenceProps) {
  const [open, setOpen] = useState(false)
  const line = (
    <>
      <span className="min-w-0 flex-1 truncate" title={name}>
        {name}
      </span>
      <span className="max-w-40 shrink-0 truncate text-xs text-soft" title={licence}>
        {licence}
      </span>
    </>
  )
  if (typeof text !== "string") return <p className="flex items-center gap-3 px-3 py-2">{line}</p>
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex items-center gap-3 px-3 py-2 hover:bg-hover">{line}</summary>
      {open && <pre className="overflow-x-auto px-3 pb-3 text-xs whitespace-pre-wrap text-soft">{text}</pre>}
    </details>
  )
}
