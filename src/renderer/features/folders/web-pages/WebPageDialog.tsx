import { t } from "i18next"
import { useState } from "react"
import type { Folder } from "../../../../shared/contract/folders.ts"
import { useAddUrl } from "../../../data/folders/files.ts"
import { useAllowPrivateHost } from "../../../data/settings.ts"
import { hasCode } from "../../../lib/box.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"
import { useOwner } from "../../../data/session.ts"
import { RefreshField } from "./WebFacts.tsx"

/** Adds a web page's readable text to a folder as a file. The typed address stays until the page has been added. */
export function WebPageDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const [address, setAddress] = useState("")
  const [hours, setHours] = useState<number | null>(null)
  const add = useAddUrl(folder.id)
  const allow = useAllowPrivateHost()
  const isOwner = useOwner()
  const url = withProtocol(address.trim())
  const issues = getIssues(allow.error ?? add.error, ["url", "refreshHours"])
  const isPrivate = hasCode(add.error, "forbidden_address")
  const host = hostWithPort(url)

  function submit() {
    add.mutate(
      { url, refreshHours: hours },
      {
        onSuccess: ({ files: [file] }) => {
          showToast(t("folders:web.added", { name: file?.filename ?? url }))
          onClose()
        },
      },
    )
  }

  return (
    <Dialog open onClose={onClose} title={t("folders:web.title")} description={t("folders:web.description")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label={t("folders:web.address")}
          type="text"
          inputMode="url"
          placeholder={t("folders:web.example")}
          data-focus-first
          value={address}
          maxLength={4000}
          onChange={(event) => {
            setAddress(event.target.value)
            add.reset()
            allow.reset()
          }}
          error={issues["url"] ?? issues["other"]}
          hint={folder.remote === "never" ? t("folders:web.staysHint") : undefined}
        />
        {isPrivate && isOwner && host !== null && (
          <Note
            action={
              <Button
                busy={allow.isPending}
                onClick={() => allow.mutate(host, { onSuccess: submit })}
                className="shrink-0"
              >
                {t("folders:web.allow")}
              </Button>
            }
          >
            {t("folders:web.allowHint", { host })}
          </Note>
        )}
        <RefreshField hours={hours} onChange={setHours} error={issues["refreshHours"]} />
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={add.isPending} disabled={address.trim() === ""}>
            {t("folders:web.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The protocol is often left out. */
const withProtocol = (address: string) =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`

function hostWithPort(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { hostname, port, protocol } = new URL(address)
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`
}
