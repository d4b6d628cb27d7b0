import { t } from "i18next"
import { ChevronDown, ChevronUp, Download } from "lucide-react"
import { Suspense, useMemo, useState } from "react"
import type { WebCopy } from "../../../shared/contract/files.ts"
import { usePassage } from "../../data/folders/file-contents.ts"
import { hasPages, fileDownloadPath, useFile, useFileText } from "../../data/folders/files.ts"
import { describeError, hasCode } from "../../lib/box.ts"
import { download } from "../../lib/browser/download.ts"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { later } from "../../lib/later.ts"
import { useOpenDocument, type OpenDocument, type ShownDocument } from "../../lib/navigation/open-document.ts"
import { formatFullMoment, formatLocation } from "../../lib/words/format.ts"
import { formatMatches } from "../../lib/words/matched-words.ts"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { IconButton } from "../../ui/controls/Button.tsx"
import { SidePanel } from "../../ui/layers/SidePanel.tsx"
import { ForeignLink } from "../../ui/text/ForeignLink.tsx"
import { DocumentPages } from "./DocumentPages.tsx"
import { DocumentText } from "./DocumentText.tsx"
import { quotedParts } from "./locate-passage.ts"

/** Shows which of an answer's citations is open, with buttons for the previous and next one; nothing if there is only one. */
function CitationSteps({ document }: { document: OpenDocument }) {
  const { among = [], passage } = document
  const openDocument = useOpenDocument()
  const index = among.findIndex((other) => other.passage?.id === passage?.id)
  const step = (to: OpenDocument | undefined) => to && (() => openDocument(to))
  const next = step(among[index + 1])
  const previous = step(among[index - 1])
  useShortcuts({ nextCitation: next, previousCitation: previous })
  if (among.length < 2 || index < 0) return null
  return (
    <>
      <output className="shrink-0 pr-1 text-xs leading-8 text-faint tabular-nums">
        {t("passages:citationOf", { number: index + 1, count: among.length })}
      </output>
      <IconButton
        label={t("passages:previousCitation")}
        keys={shortcutName("previousCitation")}
        disabled={previous === undefined}
        onClick={() => previous?.()}
      >
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton
        label={t("passages:nextCitation")}
        keys={shortcutName("nextCitation")}
        disabled={next === undefined}
        onClick={() => next?.()}
      >
        <ChevronDown aria-hidden />
      </IconButton>
    </>
  )
}

const DocumentOverview = later(async () => (await import("./DocumentOverview.tsx")).DocumentOverview)

type View = "pages" | "text" | "overview"

interface DocumentPanelProps {
  document: OpenDocument
  onClose: () => void
}

/** The side panel with a document, at a passage or at a location from its overview. For a citation, it says why the passage was found. */
function DocumentPanel({ document, onClose }: DocumentPanelProps) {
  const { vectorId, fileId, fileName } = document
  const text = useFileText(vectorId, fileId)
  const web = useFile(vectorId, fileId).data?.web
  const reading: View = hasPages(fileName) ? "pages" : "text"
  const [view, setView] = useState<View>(document.showsOutline === true ? "overview" : reading)
  const [shownDocument, setShownDocument] = useState<OpenDocument>()
  const { passage, claims } = shownDocument ?? document
  // A shared assistant also answers from folders that aren't shared.
  const isOutOfReach = hasCode(text.error, "forbidden")
  const quoted = useMemo(
    () => (passage && claims ? quotedParts(passage.text, claims) : []),
    [passage, claims],
  )

  return (
    <SidePanel
      label={t("passages:document")}
      heading={fileName}
      facts={
        <>
          {passage && <Found passage={passage} query={document.query} />}
          {web && <WebLine web={web} />}
        </>
      }
      actions={
        <>
          <CitationSteps document={document} />
          {!isOutOfReach && (
            <IconButton
              label={t("passages:download")}
              onClick={() => void download(fileDownloadPath(vectorId, fileId))}
            >
              <Download aria-hidden />
            </IconButton>
          )}
        </>
      }
      onClose={onClose}
    >
      {isOutOfReach ? (
        <OutOfReach passage={passage} />
      ) : (
        <>
          <ViewSwitch view={view} hasPages={hasPages(fileName)} onChange={setView} />
          {view === "overview" && (
            <Suspense>
              <DocumentOverview
                document={document}
                onJump={(to) => {
                  setShownDocument(to)
                  setView(reading)
                }}
              />
            </Suspense>
          )}
          {view === "pages" && (
            <DocumentPages
              vectorId={vectorId}
              fileId={fileId}
              fileName={fileName}
              blocks={text.data}
              passage={passage}
              quoted={quoted}
            />
          )}
          {view === "text" && text.isPending && (
            <div className="m-auto text-faint">
              <Spinner label={t("passages:loading")} />
            </div>
          )}
          {view === "text" && text.isError && (
            <div className="p-4">
              <Note kind="error">{describeError(text.error)}</Note>
              {passage && (
                <p className="mt-4 text-base leading-relaxed whitespace-pre-wrap">{passage.text}</p>
              )}
            </div>
          )}
          {view === "text" && text.data && (
            <DocumentText blocks={text.data} passage={passage} quoted={quoted} />
          )}
        </>
      )}
    </SidePanel>
  )
}

/** For a document whose folder isn't shared with the user: only the quoted passage. */
function OutOfReach({ passage }: { passage: OpenDocument["passage"] | undefined }) {
  return (
    <div className="overflow-y-auto p-4">
      <Note>{t(passage ? "passages:passageOnly" : "passages:notShared")}</Note>
      {passage && <p className="mt-4 text-base leading-relaxed whitespace-pre-wrap">{passage.text}</p>}
    </div>
  )
}

/** The source of a web page's copy. */
function WebLine({ web: { url, fetchedAt } }: { web: WebCopy }) {
  return (
    <p className="truncate text-xs text-faint">
      <ForeignLink address={url} className="rounded text-accent hover:underline">
        {t("passages:openPage")}
      </ForeignLink>{" "}
      · {t("passages:fetched", { moment: formatFullMoment(fetchedAt) })}
    </p>
  )
}

interface ViewSwitchProps {
  view: View
  hasPages: boolean
  onChange: (view: View) => void
}

/** Switches between a document's pages, if it has any, its text and its overview. */
function ViewSwitch({ view, hasPages: isPaged, onChange }: ViewSwitchProps) {
  const views: { name: View; label: string }[] = [
    ...(isPaged ? [{ name: "pages" as const, label: t("pages:asPages") }] : []),
    { name: "text", label: t("pages:asText") },
    { name: "overview", label: t("pages:asOutline") },
  ]
  return (
    <fieldset aria-label={t("pages:view")} className="flex gap-1 border-b border-line px-4 py-1.5">
      {views.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === view}
          onClick={() => onChange(name)}
          className="h-6 rounded-md px-2 text-xs font-medium text-soft hover:bg-hover aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}

interface FoundProps {
  passage: NonNullable<OpenDocument["passage"]>
  query: string | undefined
}

/** A passage's location, and why it was found. */
function Found({ passage, query }: FoundProps) {
  const facts = [formatLocation(passage.location), formatMatches(passage, query)].filter(
    (fact) => fact !== "",
  )
  return <p className="truncate text-xs text-faint">{facts.join(" · ")}</p>
}

interface DocumentAsideProps {
  shown: ShownDocument
  onClose: () => void
}

/** The document next to a screen. If only its address is known, its details are looked up. */
export function DocumentAside({ shown, onClose }: DocumentAsideProps) {
  const { vectorId, fileId, passageId, showsOutline, known } = shown
  const isUnknown = known === undefined
  const { data: file } = useFile(vectorId, isUnknown ? fileId : undefined)
  const passage = usePassage(vectorId, isUnknown ? passageId : undefined)
  const document = known ?? (file && !passage.isLoading ? found(file.name) : undefined)
  if (!document) return null
  return (
    <DocumentPanel key={`${fileId}:${passageId ?? showsOutline}`} document={document} onClose={onClose} />
  )

  function found(fileName: string): OpenDocument {
    const marked = passage.data?.fileId === fileId ? { passage: passage.data } : {}
    return { vectorId, fileId, fileName, ...marked, showsOutline }
  }
}
