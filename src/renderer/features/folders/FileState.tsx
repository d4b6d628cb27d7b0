import type { FileEntry, FilePhase, FileStatus } from "../../../shared/contract/files.ts"
import { classNames } from "../../ui/class-names.ts"
import { ProgressBar } from "../../ui/ProgressBar.tsx"

export const fileStatusNames: Record<FileStatus, string> = {
  queued: "Waiting",
  processing: "Being indexed",
  completed: "Indexed",
  failed: "Failed",
  skipped: "Skipped",
}

const phaseNames: Record<FilePhase, string> = {
  queued: "Waiting",
  extracting: "Reading",
  ocr: "Recognising text",
  chunking: "Cutting",
  embedding: "Embedding",
  indexing: "Indexing",
  done: "Indexed",
  failed: "Failed",
}

const dots: Record<FileStatus, string> = {
  queued: "bg-line-strong",
  processing: "bg-accent",
  completed: "bg-good",
  failed: "bg-danger",
  skipped: "bg-warning",
}

/** Where a file is on its way into the index, and why it isn't there. */
export function FileState({ file }: { file: FileEntry }) {
  const { status, phase, progress, error, note } = file
  const reason = error ?? note
  return (
    <div className="flex min-w-0 items-center gap-2">
      <span className={classNames("size-1.5 shrink-0 rounded-full", dots[status])} aria-hidden />
      {status === "processing" ? (
        <div className="flex w-full max-w-32 flex-col gap-1">
          <span className="text-xs leading-none text-soft">{phaseNames[phase]}</span>
          <ProgressBar percent={progress} label={`${file.name}: ${phaseNames[phase]}`} />
        </div>
      ) : (
        <span
          title={reason ?? undefined}
          className={classNames("truncate text-xs", status === "failed" ? "text-danger" : "text-soft")}
        >
          {reason ?? fileStatusNames[status]}
        </span>
      )}
    </div>
  )
}
