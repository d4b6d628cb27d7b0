import { t } from "i18next"
import { ListOrdered } from "lucide-react"
import { useRef, useState, type KeyboardEvent } from "react"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { Popover } from "../../../ui/layers/Popover.tsx"
import { VirtualList } from "../../../ui/VirtualList.tsx"
import type { ShownMessage } from "../session/chat-view.ts"

interface OutlineProps {
  messages: readonly ShownMessage[]
  /** Returns the index of the message being read. */
  readAt: () => number
  /** Scrolls to the message at this index. */
  onGoTo: (index: number) => void
}

interface Entry {
  /** Index of the message. */
  index: number
  /** Number of the question, from 1. */
  number: number
  text: string
}

const searchFrom = 8
const rowHeight = 32
const maxShown = 300

/** A list of the chat's questions to jump to. */
export function Outline({ messages, readAt, onGoTo }: OutlineProps) {
  const [open, setOpen] = useState(false)
  const chosen = useRef(false)
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t("longChats:outline")}
      align="end"
      className="w-[min(24rem,calc(100vw-1rem))] rounded-lg p-1"
      onCloseAutoFocus={(event) => {
        if (chosen.current) event.preventDefault() // the focus moves with the selection
        chosen.current = false
      }}
      trigger={
        <IconButton label={t("longChats:outline")}>
          <ListOrdered aria-hidden />
        </IconButton>
      }
    >
      <Questions
        messages={messages}
        readAt={readAt}
        onChoose={(index) => {
          chosen.current = true
          setOpen(false)
          onGoTo(index)
        }}
      />
    </Popover>
  )
}

function Questions({
  messages,
  readAt,
  onChoose,
}: Pick<OutlineProps, "messages" | "readAt"> & { onChoose: (index: number) => void }) {
  const [search, setSearch] = useState("")
  const all = getQuestions(messages)
  const hasSearch = all.length >= searchFrom
  /** The reading position when the list opens; the list and the keyboard focus start there. */
  const [read] = useState(() => all.findLast(({ index }) => index <= readAt())?.index)
  const [focusAt, setFocusAt] = useState(hasSearch ? undefined : read)
  const wanted = search.trim().toLowerCase()
  const shown = all.filter(({ text }) => text.toLowerCase().includes(wanted))
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys of the rows come by
    <div onKeyDown={moveBetweenRows}>
      {hasSearch && (
        <SearchField
          label={t("longChats:findQuestion")}
          value={search}
          onChange={setSearch}
          className="m-1"
        />
      )}
      <VirtualList
        label={t("longChats:outline")}
        items={shown}
        getId={({ index }) => String(index)}
        getHeight={() => rowHeight}
        className="max-h-80 overflow-y-auto"
        visibleIndex={wanted === "" ? shown.findIndex(({ index }) => index === read) : -1}
      >
        {({ index, number, text }) => (
          <button
            type="button"
            data-question-row
            aria-current={wanted === "" && index === read ? "location" : undefined}
            ref={index === focusAt ? takeFocus : undefined}
            onFocus={() => setFocusAt(undefined)}
            title={text}
            onClick={() => onChoose(index)}
            className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2 aria-[current]:bg-selected"
          >
            <span className="min-w-5 shrink-0 text-right text-xs text-faint tabular-nums">{number}</span>
            <bdi className="min-w-0 flex-1 truncate">{text}</bdi>
          </button>
        )}
      </VirtualList>
      {shown.length === 0 && <p className="p-3 text-sm text-soft">{t("longChats:noQuestion")}</p>}
    </div>
  )
}

const takeFocus = (row: HTMLButtonElement | null): void => row?.focus()

function getQuestions(messages: readonly ShownMessage[]): Entry[] {
  const entries: Entry[] = []
  for (const [index, { role, content, files }] of messages.entries()) {
    if (role !== "user") continue
    const text = content.trim().slice(0, maxShown) || files.map(({ name }) => name).join(", ")
    entries.push({ index, number: entries.length + 1, text })
  }
  return entries
}

function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
  if (by === 0) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-question-row]")]
  const at = rows.findIndex((row) => row === document.activeElement)
  const read = rows.find((row) => row.hasAttribute("aria-current"))
  const next = at < 0 ? (read ?? rows.at(by < 0 ? -1 : 0)) : rows[at + by]
  event.preventDefault()
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}
