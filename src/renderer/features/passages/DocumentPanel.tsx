import { t } from "i18next"
import { Download } from "lucide-react"
import { useState } from "react"
import { hasPages } from "../../data/file-pages.ts"
import { fileDownloadPath, useFileText } from "../../data/files.ts"
import { describeError } from "../../lib/box.ts"
import { download } from "../../lib/browser/download.ts"
import { formatLocation, formatPercent } from "../../lib/words/format.ts"
import type { OpenDocument } from "../../lib/places/open-document.ts"
import { IconButton } from "../../ui/controls/IconButton.tsx"
import { SidePanel } from "../../ui/layers/SidePanel.tsx"
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

  return (
    <SidePanel
      label={t("passages:document")}
      heading={fileName}
      facts={passage && <Relevance passage={passage} />}
      actions={
        <IconButton
          label={t("passages:download")}
          onClick={() => void download(fileDownloadPath(vectorId, fileId))}
        >
          <Download aria-hidden />
        </IconButton>
      }
      onClose={onClose}
    >
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
    </SidePanel>
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
