import { useMutation } from "@tanstack/react-query"
import { t } from "i18next"
import { Undo2, FileInput } from "lucide-react"
import { useState, type ReactNode } from "react"
import { Link } from "wouter"
import type { ChatImport, FoundChats } from "../../../shared/contract/chat-imports.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { fetchImportedChats, useImportedChats } from "../../data/chats/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { showError } from "../../lib/toasts.ts"
import { formatFullMoment, formatMoment, formatCount, formatDay } from "../../lib/words/format.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { DropArea, useFileInput } from "../../ui/controls/FileInput.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import {
  getFailure,
  skippedByReason,
  type SkippedGroup,
  useConfirmImport,
  useStopImport,
  isUnderWay,
  uploadExport,
  useNewestImport,
  stopSending,
  useSendingExport,
} from "./imports.ts"

/** The result of an import: the new chats with links to them, and which were skipped for which reason. */
function ImportResult({ progress }: { progress: ChatImport }) {
  const { status, chats, messages, known, skipped, skippedCount, createdAt } = progress
  const groups = skippedByReason(skipped)
  const unlistedCount = skippedCount - skipped.filter(({ number }) => number !== null).length
  return (
    <div className="rounded-lg border border-line px-3 py-3 text-sm">
      <output className="block">
        <p className="font-medium">
          {status === "stopped" && `${t("imports:stopped")} `}
          {chats > 0
            ? t("imports:taken", {
                chats: t("imports:chatCount", { count: chats }),
                messages: t("common:messageCount", { count: messages }),
              })
            : known > 0
              ? t("imports:nothingNew")
              : t("imports:nothing")}
        </p>
        <p className="mt-0.5 text-xs text-faint">{formatFullMoment(createdAt)}</p>
      </output>
      {status === "stopped" && <p className="mt-1 text-soft">{t("imports:stoppedText")}</p>}
      {chats > 0 && <ImportedChats importId={progress.id} />}
      {groups.length > 0 && (
        <section className="mt-4">
          <h2 className="text-xs font-medium text-faint">
            {t(getFailure(skipped) ? "imports:skippedUntilThen" : "imports:skipped")}
          </h2>
          <ul className="mt-1 divide-y divide-line">
            {groups.map((group) => (
              <SkippedRow
                key={group.reason.sentence?.code ?? group.reason.reason}
                group={group}
                known={known}
              />
            ))}
          </ul>
          {unlistedCount > 0 && (
            <p className="mt-1 text-xs text-faint">{t("imports:untold", { count: unlistedCount })}</p>
          )}
        </section>
      )}
    </div>
  )
}

const knownCode = "conversations.import_known"

/** Chats that were skipped for the same reason. All chats that already existed are counted, but not all are named. */
function SkippedRow({ group: { reason, chats }, known }: { group: SkippedGroup; known: number }) {
  const isKnown = reason.sentence?.code === knownCode
  return (
    <li>
      <details className="group/skipped">
        <summary className="flex cursor-pointer items-baseline gap-3 rounded py-1.5">
          <span className="min-w-0 flex-1">
            {isKnown || chats.length > 1 ? groupText(reason) : toPageLanguage(reason.reason, reason.sentence)}
          </span>
          <span className="shrink-0 text-soft tabular-nums">
            {t("imports:chatCount", { count: isKnown ? known : chats.length })}
          </span>
        </summary>
        <ul className="max-h-52 overflow-y-auto pb-2 pl-4 text-soft">
          {chats.map(({ number, title }) => (
            <li key={number} className="truncate" title={title ?? undefined}>
              {title ?? t("imports:untitled", { number })}
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}

/** The reason without the figures of a single chat. */
const groupText = ({ reason, sentence }: SkippedGroup["reason"]) =>
  sentence?.code === "conversations.import_left_out" ? t("imports:leftOut") : toPageLanguage(reason, sentence)

/** The imported chats, newest first: a few at first, more on demand. */
function ImportedChats({ importId }: { importId: string }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useImportedChats(importId)
  const leaving = chatDeletions.useLeaving()
  const chats = data?.pages.flatMap((page) => page.chats).filter(({ id }) => !leaving.has(id)) ?? []
  if (chats.length === 0) return null
  return (
    <section className="mt-3">
      <div className="flex items-center gap-3">
        <h2 className="min-w-0 flex-1 text-xs font-medium text-faint">{t("imports:here")}</h2>
        <UndoImport importId={importId} count={data?.pages[0]?.pagination.total ?? chats.length} />
      </div>
      <ul className="-mx-2 mt-1 max-h-80 overflow-y-auto">
        {chats.map(({ id, title, updatedAt }) => (
          <li key={id}>
            <Link
              href={routes.chat(id)}
              title={title}
              className="flex h-8 items-center gap-3 rounded-md px-2 hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate">{title}</span>
              <span className="shrink-0 text-xs text-faint">{formatMoment(updatedAt)}</span>
            </Link>
          </li>
        ))}
        {hasNextPage && (
          <li className="px-2 py-1">
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t("imports:more")}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}

/** Deletes all chats of an import, which can be undone. */
function UndoImport({ importId, count }: { importId: string; count: number }) {
  const [isAsking, setAsking] = useState(false)
  const undoImport = useMutation({
    mutationFn: async () => chatDeletions.remove(...(await fetchImportedChats(importId))),
    onError: showError,
  })
  return (
    <>
      <Button busy={undoImport.isPending} onClick={() => setAsking(true)}>
        <Undo2 aria-hidden /> {t("imports:takeBack.action")}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => undoImport.mutate()}
        title={t("imports:takeBack.title", { count })}
        description={t("imports:takeBack.text")}
        confirmLabel={t("imports:takeBack.confirm")}
      />
    </>
  )
}

/** An import's progress or result. */
function ImportStatus({ progress }: { progress: ChatImport }) {
  switch (progress.status) {
    case "queued":
    case "checking":
    case "running":
      return <UnderWay progress={progress} />
    case "found":
      return progress.found && <Found id={progress.id} found={progress.found} />
    case "completed":
      return <ImportResult progress={progress} />
    case "stopped":
      return progress.done === 0 ? null : <ImportResult progress={progress} />
    case "failed":
      return <Failed progress={progress} />
  }
}

function UnderWay({ progress: { id, found, done, chats, status } }: { progress: ChatImport }) {
  const stop = useStopImport()
  const isTaking = status !== "checking" && found !== null
  return (
    <div className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 text-sm text-soft">
      <div className="min-w-0 flex-1">
        <output className="block">
          {isTaking
            ? t("imports:running", { done: formatCount(done), all: formatCount(found.chats) })
            : t("imports:checking")}
        </output>
        {isTaking && (
          <div className="mt-1.5">
            <ProgressBar
              percent={(100 * done) / Math.max(1, found.chats)}
              label={t("imports:brought", { count: chats })}
            />
          </div>
        )}
        {stop.error && <p className="mt-1 text-danger">{describeError(stop.error)}</p>}
      </div>
      <Button busy={stop.isPending} onClick={() => stop.mutate(id)}>
        {t("imports:stop")}
      </Button>
    </div>
  )
}

const formatYearDay = (iso: string) => formatDay(new Date(iso), "year")

/** The file's contents before anything is imported. */
function Found({ id, found: { chats, here, from, to } }: { id: string; found: FoundChats }) {
  const confirm = useConfirmImport()
  const stop = useStopImport()
  return (
    <Card>
      <p className="font-medium">{t("imports:found", { count: chats })}</p>
      {from !== null && to !== null && (
        <p className="mt-0.5 text-soft">
          {formatYearDay(from) === formatYearDay(to)
            ? t("imports:on", { day: formatYearDay(from) })
            : t("imports:between", { from: formatYearDay(from), to: formatYearDay(to) })}
        </p>
      )}
      {here > 0 && (
        <p className="mt-0.5 text-soft">
          {here === chats ? t("imports:allHere") : t("imports:someHere", { count: here })}
        </p>
      )}
      {confirm.error && (
        <div className="mt-2">
          <Note kind="error">{describeError(confirm.error)}</Note>
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="primary" busy={confirm.isPending} onClick={() => confirm.mutate(id)}>
          {t("imports:take", { count: chats })}
        </Button>
        <Button busy={stop.isPending} onClick={() => stop.mutate(id)}>
          {t("common:cancel")}
        </Button>
      </div>
    </Card>
  )
}

function Failed({ progress }: { progress: ChatImport }) {
  const failure = getFailure(progress.skipped)
  return (
    <>
      <Note kind="error">
        {failure ? toPageLanguage(failure.reason, failure.sentence) : t("imports:failed")}
      </Note>
      {progress.chats > 0 && (
        <div className="mt-3">
          <ImportResult progress={progress} />
        </div>
      )}
    </>
  )
}

const Card = ({ children }: { children: ReactNode }) => (
  <output className="block rounded-lg border border-line px-3 py-3 text-sm">{children}</output>
)

const programs = ["chatgpt", "claude", "openwebui"] as const

/** Imports chats from other programs. */
export function ImportSection() {
  const { data: newest, error } = useNewestImport()
  const { sent, error: unsent } = useSendingExport()
  const isBusy = sent !== null || (newest !== null && newest !== undefined && isUnderWay(newest))
  const take = (file: File | undefined) => {
    if (file && !isBusy) void uploadExport(file)
  }
  const chooser = useFileInput({
    label: t("imports:file"),
    accept: ".zip,.json,application/zip,application/json",
    onFiles: ([file]) => take(file),
  })
  return (
    <DropArea invitation={t("imports:drop")} icon={FileInput} onDrop={({ files }) => take(files[0])}>
      <SettingsGroup
        title={t("imports:title")}
        description={t("imports:description")}
        action={
          <Button busy={sent !== null} disabled={isBusy} onClick={chooser.open}>
            <FileInput aria-hidden /> {t("imports:choose")}
          </Button>
        }
      >
        {chooser.input}
        {error && <Note kind="error">{describeError(error)}</Note>}
        {unsent !== null && <Note kind="error">{describeError(unsent)}</Note>}
        {sent ? (
          <Sending {...sent} onStop={stopSending} />
        ) : (
          newest && unsent === null && <ImportStatus key={newest.id} progress={newest} />
        )}
      </SettingsGroup>
      <SettingsGroup title={t("imports:how")}>
        <ul className="flex flex-col gap-2 text-sm">
          {programs.map((program) => (
            <li key={program}>
              <p className="font-medium">{t(`imports:programs.${program}.name`)}</p>
              <p className="text-soft">{t(`imports:programs.${program}.how`)}</p>
            </li>
          ))}
        </ul>
      </SettingsGroup>
    </DropArea>
  )
}

/** Upload progress of the file. */
function Sending({ name, share, onStop }: { name: string; share: number; onStop: () => void }) {
  return (
    <div className="flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 text-sm text-soft">
      <div className="min-w-0 flex-1">
        <output className="block break-words">{t("imports:sending", { name })}</output>
        <div className="mt-1.5">
          <ProgressBar percent={share * 100} label={name} />
        </div>
      </div>
      <Button onClick={onStop}>{t("imports:stop")}</Button>
    </div>
  )
}
