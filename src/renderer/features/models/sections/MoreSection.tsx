import { t } from "i18next"
import { useState } from "react"
import type { CatalogueModel } from "../../../../shared/contract/models.ts"
import {
  useStartDownload,
  useSetModelMirror,
  useCatalogue,
  useDownloads,
} from "../../../data/models/models.ts"
import { useSettings } from "../../../data/settings.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../../ui/layers/Dialog.tsx"
import { CatalogueGroup } from "../CatalogueGroup.tsx"
import { DownloadGroup } from "../ModelDownload.tsx"

/** A file on Hugging Face or one of its mirrors. */
interface FileAddress {
  repo: string
  file: string
  revision: string
}

/**
 * Parses the address of a file as shown in a browser: `…/OWNER/NAME/blob/REVISION/FILE.gguf`, or with `resolve`.
 *
 * @returns null if the text isn't an address; "elsewhere" if the box can't fetch from it.
 */
export function readModelAddress(text: string, mirror: string): FileAddress | "elsewhere" | null {
  const trimmed = text.trim()
  if (!/^https?:\/\//i.test(trimmed)) return null
  if (!URL.canParse(trimmed)) return "elsewhere"
  const { host, pathname } = new URL(trimmed)
  const base = new URL(mirror)
  const known = ["huggingface.co", "hf.co", base.host].includes(host)
  const prefix = host === base.host ? base.pathname.replace(/\/+$/, "") : ""
  const path = pathname.startsWith(prefix) ? decodePath(pathname.slice(prefix.length)) : ""
  const [, repo, revision, file] = /^\/([^/]+\/[^/]+)\/(?:blob|resolve)\/([^/]+)\/(.+)$/.exec(path) ?? []
  return known && repo && revision && file ? { repo, revision, file } : "elsewhere"
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return "" // invalid escapes
  }
}

const emptyAddress = { repo: "", file: "", revision: "main" }

/** Downloads any file from a repository. A pasted address fills the fields. */
function AddressGroup() {
  const { data: settings } = useSettings()
  const [wanted, setWanted] = useState(emptyAddress)
  const start = useStartDownload()
  const issues = getIssues(start.error, ["repo", "file"])
  const read = readModelAddress(wanted.repo, settings?.modelMirror ?? "https://huggingface.co")

  function setRepo(repo: string) {
    const address = readModelAddress(repo, settings?.modelMirror ?? "https://huggingface.co")
    setWanted(
      address !== null && address !== "elsewhere"
        ? address
        : { ...wanted, repo, revision: emptyAddress.revision },
    )
  }

  function submit() {
    const body = { repo: wanted.repo.trim(), file: wanted.file.trim(), revision: wanted.revision }
    start.mutate(body, {
      onSuccess: ({ download }) => {
        setWanted(emptyAddress)
        showToast(t("models:address.started", { name: download.name }))
      },
    })
  }

  return (
    <SettingsGroup title={t("models:address.title")} description={t("models:address.description")}>
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className="grid w-full gap-3 sm:grid-cols-2">
          <TextField
            label={t("models:address.repo")}
            hint={t("models:address.repoHint")}
            value={wanted.repo}
            maxLength={1000}
            onChange={(event) => setRepo(event.target.value)}
            error={read === "elsewhere" ? t("models:address.elsewhere") : issues["repo"]}
          />
          <TextField
            label={t("models:address.file")}
            hint={t("models:address.fileHint")}
            value={wanted.file}
            maxLength={300}
            onChange={(event) => setWanted({ ...wanted, file: event.target.value })}
            error={issues["file"]}
          />
        </div>
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <Button
          type="submit"
          busy={start.isPending}
          disabled={wanted.repo.trim() === "" || wanted.file.trim() === "" || read === "elsewhere"}
        >
          {t("models:address.submit")}
        </Button>
        <LeaveQuestion unsaved={wanted.repo !== "" || wanted.file !== ""} />
      </form>
    </SettingsGroup>
  )
}

const usualMirror = "https://huggingface.co"

/** Chooses the server that models are downloaded from. */
function MirrorGroup() {
  const { data: settings } = useSettings()
  const [typed, setTyped] = useState<string>()
  const save = useSetModelMirror()
  const issues = getIssues(save.error, ["modelMirror"])
  if (!settings) return null
  const address = typed ?? settings.modelMirror

  function set(mirror: string) {
    save.mutate(mirror, {
      onSuccess: () => {
        setTyped(undefined)
        showToast(t("models:mirror.saved", { host: new URL(mirror).host }))
      },
    })
  }

  return (
    <SettingsGroup title={t("models:mirror.title")} description={t("models:mirror.description")}>
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          set(address.trim())
        }}
      >
        <div className="w-full">
          <TextField
            label={t("models:mirror.field")}
            value={address}
            maxLength={255}
            onChange={(event) => setTyped(event.target.value)}
            error={issues["modelMirror"] ?? issues["other"]}
          />
        </div>
        <div className="flex gap-2">
          <Button type="submit" busy={save.isPending} disabled={address.trim() === settings.modelMirror}>
            {t("models:mirror.save")}
          </Button>
          {settings.modelMirror !== usualMirror && (
            <Button variant="quiet" onClick={() => set(usualMirror)}>
              {t("models:mirror.reset")}
            </Button>
          )}
        </div>
        <LeaveQuestion unsaved={address.trim() !== settings.modelMirror} />
      </form>
    </SettingsGroup>
  )
}

const exampleCatalogue: { models: CatalogueModel[] } = {
  models: [
    {
      id: "our-model",
      name: "Our model",
      purpose: "chat",
      repo: "owner/name-GGUF",
      file: "name-Q4_K_M.gguf",
      revision: "main",
      sizeBytes: 2497280256,
      licence: "Apache-2.0",
      contextSize: 32768,
      memoryBytes: 3839457536,
      languages: ["mul"],
    },
  ],
}

/** Explains how to extend the list of models. */
function OwnCatalogueGroup() {
  return (
    <SettingsGroup title={t("models:own.title")} description={t("models:own.description")}>
      <details className="text-sm">
        <summary className="w-fit rounded text-soft hover:text-ink">{t("models:own.example")}</summary>
        <pre className="mt-2 rounded-lg bg-well p-3 font-mono text-xs break-words whitespace-pre-wrap">
          {JSON.stringify(exampleCatalogue, null, 2)}
        </pre>
        <p className="mt-2 text-xs text-faint">{t("models:own.hint")}</p>
      </details>
    </SettingsGroup>
  )
}

/** Models to download, and current downloads. */
export function MoreSection() {
  return (
    <>
      <Downloads />
      <Catalogue />
      <AddressGroup />
      <MirrorGroup />
      <OwnCatalogueGroup />
    </>
  )
}

function Downloads() {
  const { data: downloads, error } = useDownloads()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  return downloads && downloads.length > 0 ? <DownloadGroup downloads={downloads} /> : null
}

function Catalogue() {
  const { data: catalogue, error } = useCatalogue()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  return catalogue ? <CatalogueGroup {...catalogue} /> : null
}
