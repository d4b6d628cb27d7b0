import { t } from "i18next"
import type { ReactNode } from "react"
import { LongText } from "../../../../ui/text/LongText.tsx"
import { visibleText } from "../../../../lib/words/visible-text.ts"
import type { Cell, FolderCall, FoundText } from "./read-folder-call.ts"

const shownRows = 50

/** Shows what a model looked up in the chat's folders. Nothing in it is treated as markup. */
export function FolderCallDetails({ call }: { call: FolderCall }) {
  switch (call.kind) {
    case "texts":
      return <Texts texts={call.texts} />
    case "files":
      return (
        <List label={t("tools:documents.files")} notShown={call.notShown}>
          {call.folders.map(({ name, files }) => (
            <li key={name}>
              <p className="text-xs text-faint">{visibleText(name)}</p>
              <ul>
                {files.map((file) => (
                  <li key={file} className="break-words text-ink">
                    {visibleText(file)}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </List>
      )
    case "tables":
      return (
        <List label={t("tools:documents.tables")} notShown={call.notShown}>
          {call.tables.map(({ name, where, columns }) => (
            <li key={name}>
              <p className="break-words text-ink">
                <span className="font-mono text-xs">{visibleText(name)}</span>{" "}
                <span className="text-xs text-faint">{visibleText(where)}</span>
              </p>
              <p className="text-xs break-words">{visibleText(columns.join(", "))}</p>
            </li>
          ))}
        </List>
      )
    case "rows":
      return <Rows {...call} />
  }
}

function Texts({ texts }: { texts: readonly FoundText[] }) {
  if (texts.length === 0) return <p className="text-faint">{t("tools:documents.nothing")}</p>
  return (
    <List label={t("tools:documents.texts")}>
      {texts.map(({ cite, file, place, text }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- what was found stays as it is
        <li key={index}>
          <p className="flex flex-wrap items-baseline gap-x-2">
            {cite !== "" && <span className="text-xs text-faint tabular-nums">{cite}</span>}
            <bdi className="min-w-0 font-medium break-words text-ink">{visibleText(file)}</bdi>
            <span className="text-xs text-faint">{visibleText(place)}</span>
          </p>
          {text !== "" && (
            <p className="line-clamp-3 break-words whitespace-pre-wrap">
              <LongText text={visibleText(text)} />
            </p>
          )}
        </li>
      ))}
    </List>
  )
}

interface ListProps {
  label: string
  notShown?: number
  children: ReactNode
}

function List({ label, notShown = 0, children }: ListProps) {
  return (
    <>
      <ul
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        className="flex max-h-72 flex-col gap-2 overflow-y-auto rounded-lg border border-line p-3"
      >
        {children}
      </ul>
      {notShown > 0 && (
        <p className="text-xs text-faint">{t("tools:documents.notShown", { count: notShown })}</p>
      )}
    </>
  )
}

const getAlign = (cell: Cell | undefined): string => (typeof cell === "number" ? "text-right" : "text-left")

/** The SQL that ran, and the rows it returned. */
function Rows({ sql, sheets, columns, rows, hasMore }: Extract<FolderCall, { kind: "rows" }>) {
  return (
    <>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        dir="ltr"
        aria-label={t("tools:documents.sql")}
        className="max-h-48 overflow-auto rounded-lg border border-line bg-well p-3 font-mono text-xs break-words whitespace-pre-wrap text-ink"
      >
        <LongText text={visibleText(sql)} />
      </pre>
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        className="max-h-72 overflow-auto rounded-lg border border-line"
      >
        <table className="min-w-full text-xs">
          <caption className="sr-only">{t("tools:documents.rows")}</caption>
          <thead className="sticky top-0 bg-well text-soft">
            <tr>
              {columns.map((column, index) => (
                <th
                  // oxlint-disable-next-line react/no-array-index-key -- two columns may have one name
                  key={index}
                  scope="col"
                  className={`px-3 py-1.5 font-medium whitespace-nowrap ${getAlign(rows[0]?.[index])}`}
                >
                  {visibleText(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownRows).map((row, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- rows stay where they are
              <tr key={at} className="border-t border-line">
                {row.map((cell, index) => (
                  <td
                    // oxlint-disable-next-line react/no-array-index-key -- cells stay where they are
                    key={index}
                    className={`max-w-72 truncate px-3 py-1 text-ink tabular-nums ${getAlign(cell)}`}
                  >
                    {cell === null ? <span className="text-faint">–</span> : visibleText(String(cell))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(hasMore || rows.length > shownRows) && (
        <p className="text-xs text-faint">{t("tools:documents.moreRows")}</p>
      )}
      {sheets.length > 0 && (
        <p className="text-xs break-words text-faint">
          {t("tools:itsDocuments", { names: sheets.map(visibleText).join(", ") })}
        </p>
      )}
    </>
  )
}
