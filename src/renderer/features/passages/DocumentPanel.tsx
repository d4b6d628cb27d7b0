import { t } from "i18next"
import { Download, X } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { hasPages } from "../../data/file-pages.ts"
import { fileDownloadPath, useFileText } from "../../data/files.ts"
import { describeError } from "../../lib/box.ts"
import { download } from "../../lib/browser/download.ts"
import { formatLocation, formatPercent } from "../../lib/words/format.ts"
import type { OpenDocument } from "../../lib/places/open-document.ts"
import { IconButton } from "../../ui/controls/IconButton.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { DocumentPages } from "./DocumentPages.tsx"
import { DocumentText } from "./DocumentText.tsx"

interface DocumentPanelProps {
  document: OpenDocument
  onClose: () => void
}

/** The side panel with a document's text; for a citation, why it was found. */
export function DocumentPanel({ document, onClose }: DocumentPanelProps) {
  const { vectorId, fileId, fileName, passage } = document
  const text = useFileText(vectorId, fileId)
  const [asPages, setAsPages] = useState(() => hasPages(fileName))
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])

  return (
    <aside
      aria-label={t("passages:document")}
      className="absolute inset-y-0 right-0 z-20 flex w-[min(27rem,100%)] animate-slide flex-col border-l border-line bg-canvas shadow-float xl:static xl:w-[27rem] xl:shrink-0 xl:animate-none xl:shadow-none"
    >
      <header className="flex items-start gap-1 border-b border-line py-2.5 pr-2.5 pl-5">
        <div className="min-w-0 flex-1">
          <h2
            ref={heading}
            tabIndex={-1}
            title={fileName}
            className="truncate leading-7 font-medium focus-visible:outline-none"
          >
            {fileName}
          </h2>
          {passage && <Relevance passage={passage} />}
        </div>
        <IconButton
          label={t("passages:download")}
          onClick={() => void download(fileDownloadPath(vectorId, fileId))}
        >
          <Download aria-hidden />
        </IconButton>
        <IconButton label={t("passages:close")} keys="Esc" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </header>
      {hasPages(fileName) && <ViewSwitch asPages={asPages} onChange={setAsPages} />}
      {asPages && (
        <DocumentPages
          vectorId={vectorId}
          fileId={fileId}
          fileName={fileName}
          blocks={text.data}
          passage={passage}
        />
      )}
      {!asPages && text.isPending && (
        <div className="m-auto text-faint">
          <Spinner label={t("passages:loading")} />
        </div>
      )}
      {!asPages && text.isError && (
        <div className="p-4">
          <Note kind="error">{describeError(text.error)}</Note>
          {passage && <p className="mt-4 text-base leading-relaxed whitespace-pre-wrap">{passage.text}</p>}
        </div>
      )}
      {!asPages && text.data && <DocumentText blocks={text.data} passage={passage} />}
    </aside>
  )
}

/** A document that has pages, as they look or as their text. */
function ViewSwitch({ asPages, onChange }: { asPages: boolean; onChange: (asPages: boolean) => void }) {
  const views = [
    { pages: true, name: t("pages:asPages") },
    { pages: false, name: t("pages:asText") },
  ]
  return (
    <fieldset aria-label={t("pages:view")} className="flex gap-1 border-b border-line px-4 py-1.5">
      {views.map(({ pages, name }) => (
        <button
          key={name}
          type="button"
          aria-pressed={pages === asPages}
          onClick={() => onChange(pages)}
          className="h-6 rounded-md px-2 text-xs font-medium text-soft hover:bg-hover aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}

function Relevance({ passage }: { passage: NonNullable<OpenDocument["passage"]> }) {
  const { keyword, semantic, name } = passage.rank ?? {}
  const facts = [
    formatLocation(passage.location),
    passage.score !== undefined && t("passages:relevant", { share: formatPercent(passage.score) }),
    keyword !== undefined && t("passages:keywordRank", { rank: keyword }),
    semantic !== undefined && t("passages:semanticRank", { rank: semantic }),
    name !== undefined && t("passages:nameRank", { rank: name }),
  ].filter((fact) => fact !== false && fact !== "")
  return <p className="truncate text-xs text-faint">{facts.join(" · ")}</p>
}
