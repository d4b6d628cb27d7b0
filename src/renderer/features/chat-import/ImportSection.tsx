import { t } from "i18next"
import { FileInput } from "lucide-react"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { DropArea, useFileInput } from "../../ui/controls/FileInput.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { ImportStatus } from "./ImportStatus.tsx"
import { isUnderWay, uploadExport, useNewestImport, stopSending, useSendingExport } from "./imports.ts"

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
              <span className="font-medium">{t(`imports:programs.${program}.name`)}</span>{" "}
              <span className="text-soft">{t(`imports:programs.${program}.how`)}</span>
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
