import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { useState } from "react"
import { Delimiter, type FileEntry, type ReadAs, TextEncoding } from "../../../../shared/contract/files.ts"
import { useUpdateFile } from "../../../data/folders/files.ts"
import { box, describeError } from "../../../lib/box.ts"
import { Note } from "../../../ui/Note.tsx"
import { Spinner } from "../../../ui/Progress.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { hasCells } from "./read-as.ts"

interface ReadAsDialogProps {
  folderId: string
  file: FileEntry
  onClose: () => void
}

/** Chooses how the letters of a text file are encoded, and what separates the cells of a CSV file, with a preview. */
export function ReadAsDialog({ folderId, file, onClose }: ReadAsDialogProps) {
  const [chosen, setChosen] = useState<ReadAs>({
    encoding: file.readAs?.encoding ?? null,
    delimiter: file.readAs?.delimiter ?? null,
  })
  const update = useUpdateFile(folderId)
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("folders:readAs.title", { name: file.name })}
      description={t("folders:readAs.description")}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ fileId: file.id, patch: { readAs: chosen } }, { onSuccess: onClose })
        }}
      >
        <SelectField
          label={t("folders:readAs.encoding")}
          value={chosen.encoding ?? ""}
          onChange={({ target }) =>
            setChosen({
              ...chosen,
              encoding: TextEncoding.options.find((each) => each === target.value) ?? null,
            })
          }
        >
          <option value="">{t("folders:readAs.automatic")}</option>
          {TextEncoding.options.map((encoding) => (
            <option key={encoding} value={encoding}>
              {t(`folders:encodings.${encoding}`)}
            </option>
          ))}
        </SelectField>
        {hasCells(file) && (
          <SelectField
            label={t("folders:readAs.delimiter")}
            value={chosen.delimiter ?? ""}
            onChange={({ target }) =>
              setChosen({
                ...chosen,
                delimiter: Delimiter.options.find((each) => each === target.value) ?? null,
              })
            }
          >
            <option value="">{t("folders:readAs.automatic")}</option>
            {Delimiter.options.map((delimiter) => (
              <option key={delimiter} value={delimiter}>
                {t(`folders:delimiters.${delimiterNames[delimiter]}`)}
              </option>
            ))}
          </SelectField>
        )}
        <Preview folderId={folderId} fileId={file.id} chosen={chosen} />
        {update.error && <Note kind="error">{describeError(update.error)}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={update.isPending}>
            {t("folders:readAs.apply")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const delimiterNames = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "bar",
} as const satisfies Record<Delimiter, string>

interface PreviewProps {
  folderId: string
  fileId: string
  chosen: ReadAs
}

/** The start of the file as it would be read. The previous preview stays until the next one is there. */
function Preview({ folderId, fileId, chosen }: PreviewProps) {
  const { data, error, isFetching } = useQuery({
    queryKey: ["text-preview", folderId, fileId, chosen],
    queryFn: ({ signal }) =>
      box.files.preview(
        {
          params: { id: folderId, fileId },
          query: {
            ...(chosen.encoding && { encoding: chosen.encoding }),
            ...(chosen.delimiter && { delimiter: chosen.delimiter }),
          },
        },
        { signal },
      ),
    placeholderData: (before) => before,
    retry: false,
  })
  return (
    <section aria-label={t("folders:readAs.preview")} aria-busy={isFetching}>
      <h3 className="mb-1.5 text-sm font-medium">{t("folders:readAs.preview")}</h3>
      <div
        // Scrolled by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="h-48 overflow-auto rounded-md border border-line bg-field p-2 text-xs"
      >
        {error ? (
          <Note kind="error">{describeError(error)}</Note>
        ) : data ? (
          <PreviewBlocks blocks={data.blocks} />
        ) : (
          <Spinner label={t("folders:page.loading")} />
        )}
      </div>
    </section>
  )
}

/** Each item with a key: the same text can occur several times, and items never move. */
const numbered = <Item,>(items: readonly Item[]) => items.map((item, index) => ({ item, key: String(index) }))

function PreviewBlocks({ blocks }: { blocks: readonly { kind: string; text: string }[] }) {
  if (blocks.length === 0) return <p className="text-soft">{t("folders:readAs.empty")}</p>
  const isTable = blocks.some(({ kind }) => kind === "table-row" || kind === "table-header")
  if (!isTable)
    return numbered(blocks).map(({ item, key }) => (
      <p key={key} className="mb-1 whitespace-pre-wrap">
        {item.text}
      </p>
    ))
  return (
    <table className="border-collapse">
      <tbody>
        {numbered(blocks).map(({ item: { kind, text }, key }) => (
          <tr key={key} className={kind === "table-header" ? "font-medium" : undefined}>
            {numbered(text.split(" | ")).map(({ item: cell, key: column }) => (
              <td key={column} className="border border-line px-1.5 py-0.5 align-top">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
