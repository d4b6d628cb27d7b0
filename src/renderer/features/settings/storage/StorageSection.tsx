import { t } from "i18next"
import { Trash2 } from "lucide-react"
import { useState } from "react"
import type { StorageOverview, StoragePart, StoredCopy } from "../../../../shared/contract/storage.ts"
import { describeError } from "../../../lib/box.ts"
import { showError } from "../../../lib/toasts.ts"
import { formatSize, formatFullMoment } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { CommandLine } from "../../../ui/text/CommandLine.tsx"
import { useEmptyTrash, useRemoveCopy, useStorage } from "./storage.ts"

const shownSize = ({ bytes, complete }: StoragePart) =>
  complete ? formatSize(bytes) : t("settings:storage.atLeast", { size: formatSize(bytes) })

const explainedParts = ["reserve", "transit", "desktop", "other"] as const

/** A storage part's name, with an explanation if the name isn't enough. */
function PartName({ name }: Pick<StoragePart, "name">) {
  const why = explainedParts.find((one) => one === name)
  return (
    <span className="min-w-0 flex-1 sm:w-52 sm:flex-initial">
      {t(`settings:storage.parts.${name}`)}
      {why && <span className="block text-xs text-faint">{t(`settings:storage.explained.${why}`)}</span>}
    </span>
  )
}

/** The data directory, and what uses how much space. */
function UsageGroup({ storage: { dataDir, freeBytes, parts } }: { storage: StorageOverview }) {
  const used = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  const trash = parts.find(({ name, bytes }) => name === "trash" && bytes > 0)
  const shown = parts.filter(({ bytes }) => bytes > 0)
  const largest = Math.max(1, ...parts.map(({ bytes }) => bytes))
  return (
    <SettingsGroup
      title={t("settings:storage.usage")}
      description={t("settings:storage.usedAndFree", { used: formatSize(used), free: formatSize(freeBytes) })}
    >
      <ul
        aria-label={t("settings:storage.usage")}
        className="mb-3 divide-y divide-line rounded-lg border border-line"
      >
        {shown.map((part) => (
          <li key={part.name} className="flex min-h-11 items-center gap-4 px-3 py-1.5 text-sm">
            <PartName name={part.name} />
            <span
              aria-hidden
              className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-well max-sm:hidden"
            >
              <span
                className="block h-full rounded-full bg-solid"
                style={{ width: `${(part.bytes / largest) * 100}%` }}
              />
            </span>
            <span className="w-24 shrink-0 text-right text-soft">{shownSize(part)}</span>
            {trash && (
              <span className="w-24 shrink-0 text-right">{part === trash && <EmptyTrash part={part} />}</span>
            )}
          </li>
        ))}
      </ul>
      <p className="mb-1.5 text-sm text-soft">{t("settings:storage.place")}</p>
      <CommandLine command={dataDir} kind="path" />
    </SettingsGroup>
  )
}

function EmptyTrash({ part }: { part: StoragePart }) {
  const [confirming, setConfirming] = useState(false)
  const empty = useEmptyTrash()
  return (
    <>
      <Button
        variant="quiet"
        aria-label={t("settings:storage.emptyTrash")}
        busy={empty.isPending}
        onClick={() => setConfirming(true)}
      >
        <Trash2 aria-hidden /> {t("settings:storage.empty")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => empty.mutate(undefined, { onError: showError })}
        title={t("settings:storage.emptyTrashTitle")}
        description={t("settings:storage.emptyTrashDescription", { size: formatSize(part.bytes) })}
        confirmLabel={t("settings:storage.emptyTrash")}
      />
    </>
  )
}

/** Older copies of the data, which use disk space until someone deletes them. */
function CopiesGroup({ copies }: { copies: StoredCopy[] }) {
  return (
    <SettingsGroup
      title={t("settings:storage.copies.title")}
      description={t("settings:storage.copies.description")}
    >
      <ul
        aria-label={t("settings:storage.copies.title")}
        className="divide-y divide-line rounded-lg border border-line"
      >
        {copies.map((copy) => (
          <CopyRow key={copy.id} copy={copy} />
        ))}
      </ul>
    </SettingsGroup>
  )
}

function CopyRow({ copy: { id, kind, bytes, createdAt } }: { copy: StoredCopy }) {
  const [confirming, setConfirming] = useState(false)
  const remove = useRemoveCopy()
  const name = t(`settings:storage.copies.${kind}`)
  return (
    <li className="flex items-center gap-3 px-3 py-2 text-sm">
      <div className="min-w-0 flex-1">
        <p className="truncate">{name}</p>
        <p className="text-xs text-faint">
          {formatFullMoment(createdAt)} · {formatSize(bytes)}
        </p>
      </div>
      <Button variant="danger" busy={remove.isPending} onClick={() => setConfirming(true)}>
        {t("settings:storage.delete")}
      </Button>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(id, { onError: showError })}
        title={t("settings:storage.copies.deleteTitle")}
        description={t(`settings:storage.copies.deleteDescription.${kind}`)}
        confirmLabel={t("settings:storage.delete")}
      />
    </li>
  )
}

/** The data stored on this computer. */
export function StorageSection() {
  const { data: storage, error } = useStorage()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!storage) return <Spinner label={t("settings:storage.counting")} />
  return (
    <>
      <UsageGroup storage={storage} />
      {storage.copies.length > 0 && <CopiesGroup copies={storage.copies} />}
    </>
  )
}
