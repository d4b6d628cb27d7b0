import { t } from "i18next"
import { FileText, X } from "lucide-react"
import { useRef, useState, type KeyboardEvent } from "react"
import type { ReadingEstimateRequest } from "../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { useMatchingFiles } from "../../../data/folders/files.ts"
import { useReadingEstimate } from "../../../data/chats/reading.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { useOwnFolder } from "../composer/attachments/attachments.ts"
import { Takes } from "./Takes.tsx"
import { createDifferencesQuestion, type WholeQuestion } from "./templates.ts"
import { MiddleCut } from "../../../ui/text/MiddleCut.tsx"

interface DifferencesDialogProps {
  chatId: string
  /** The selection to read before two documents are chosen. */
  reading: ReadingEstimateRequest
  onAsk: (question: WholeQuestion) => void
  onClose: () => void
}

/** Chooses the two documents to compare. */
export function DifferencesDialog({ chatId, reading, onAsk, onClose }: DifferencesDialogProps) {
  const own = useOwnFolder(chatId)
  const [search, setSearch] = useState("")
  const [chosen, setChosen] = useState<FileEntry[]>([])
  const files = useMatchingFiles(
    [...(own === undefined ? [] : [own]), ...(reading.vector ?? [])],
    useDebounced(search.trim()),
  )
  const list = useRef<HTMLUListElement>(null)
  const isFull = chosen.length === 2
  const estimate = useReadingEstimate(
    isFull ? { ...reading, fileIds: chosen.map(({ id }) => id) } : undefined,
  )

  const toggle = (file: FileEntry) =>
    setChosen((before) =>
      before.some(({ id }) => id === file.id)
        ? before.filter(({ id }) => id !== file.id)
        : [...before, file].slice(0, 2),
    )

  return (
    <Dialog
      open
      onClose={onClose}
      title={t("templates:differences.name")}
      description={t("templates:differences.choose")}
    >
      <ol aria-label={t("templates:differences.chosen")} className="mb-3 grid grid-cols-2 gap-2">
        {["one", "other"].map((place, index) => (
          <li key={place} className="min-w-0">
            <ChosenFile file={chosen[index]} number={index + 1} onRemove={toggle} />
          </li>
        ))}
      </ol>
      <SearchField
        label={t("templates:differences.find")}
        value={search}
        onChange={setSearch}
        onKeyUp={(event) => {
          if (event.key === "ArrowDown") list.current?.querySelector("input")?.focus()
        }}
      />
      <ul ref={list} aria-label={t("templates:differences.files")} className="mt-2 h-56 overflow-y-auto">
        {files?.map((file) => {
          const isChosen = chosen.some(({ id }) => id === file.id)
          return (
            <li key={file.id}>
              <label
                title={file.relativePath.split("/").slice(1).join("/")}
                className="flex h-8 items-center gap-2 rounded-md px-2 text-sm hover:bg-hover has-disabled:text-faint has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={isFull && !isChosen}
                  onChange={() => toggle(file)}
                  onKeyDown={moveFocus}
                  className="size-4 shrink-0 accent-solid focus-visible:outline-none"
                />
                <span className="min-w-0 flex-1 truncate">
                  <MiddleCut text={file.name} />
                </span>
              </label>
            </li>
          )
        })}
        {files?.length === 0 && <li className="p-3 text-sm text-soft">{t("templates:differences.none")}</li>}
      </ul>
      <output className="mt-2 block min-h-4">{isFull && estimate && <Takes estimate={estimate} />}</output>
      <DialogActions>
        <Button onClick={onClose}>{t("common:cancel")}</Button>
        <Button
          variant="primary"
          disabled={!isFull}
          onClick={() => {
            onClose()
            onAsk(createDifferencesQuestion(chosen))
          }}
        >
          {t("templates:differences.submit")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface ChosenFileProps {
  file: FileEntry | undefined
  number: number
  onRemove: (file: FileEntry) => void
}

function ChosenFile({ file, number, onRemove }: ChosenFileProps) {
  if (!file)
    return (
      <p className="flex h-9 items-center rounded-md border border-dashed border-line-strong px-2.5 text-sm text-faint">
        {t("templates:differences.document", { number })}
      </p>
    )
  const { name } = file
  return (
    <p className="flex h-9 items-center gap-1.5 rounded-md bg-tint pl-2.5 text-sm text-accent">
      <FileText className="size-4 shrink-0" aria-hidden />
      <span className="min-w-0 flex-1 truncate" title={name}>
        <MiddleCut text={name} />
      </span>
      <button
        type="button"
        aria-label={t("templates:remove", { name })}
        title={t("templates:remove", { name })}
        onClick={() => onRemove(file)}
        className="flex size-8 shrink-0 items-center justify-center rounded-md hover:bg-hover"
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </p>
  )
}

/** The up and down arrows move through the files that can be chosen. */
function moveFocus(event: KeyboardEvent<HTMLInputElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const inputs = [...(event.currentTarget.closest("ul")?.querySelectorAll("input") ?? [])]
  const enabled = inputs.filter(({ disabled }) => !disabled)
  enabled[enabled.indexOf(event.currentTarget) + step]?.focus()
}
