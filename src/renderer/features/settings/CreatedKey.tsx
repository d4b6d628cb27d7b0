import { t } from "i18next"
import { Check, Copy } from "lucide-react"
import { useState } from "react"
import { boxAddress } from "../../lib/box.ts"
import { copyText } from "../../lib/browser/clipboard.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { CommandLine } from "../../ui/text/CommandLine.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"

/** The environment variable that the examples read the key from. The key is never in the command itself, because shells keep a history. */
const variable = "CASELLA_API_KEY"

/** Shows a new key once, with an example of its use. Closing asks for confirmation if the key wasn't copied. */
export function CreatedKey({ value, onClose }: { value: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false)
  const [warned, setWarned] = useState(false)
  async function copy() {
    await copyText(value)
    setCopied(true)
  }
  const close = () => (copied || warned ? onClose() : setWarned(true))
  const address = `${boxAddress()}/api/public/me`
  return (
    <Dialog
      open
      onClose={close}
      title={t("settings:keys.createdTitle")}
      description={t("settings:keys.createdDescription")}
    >
      <code
        translate="no"
        onCopy={() => setCopied(true)}
        className="block rounded-md border border-line bg-well px-3 py-2.5 font-mono text-sm break-all select-all"
      >
        {value}
      </code>
      <details className="mt-4 text-sm">
        <summary className="w-fit rounded text-soft hover:text-ink">
          {t("settings:keys.howToUse", { variable })}
        </summary>
        <div className="mt-2 flex flex-col gap-2">
          <CommandLine command={`curl ${address} -H "x-api-key: $${variable}"`} />
          <CommandLine
            command={`import os, requests\nrequests.get("${address}", headers={"x-api-key": os.environ["${variable}"]}).json()`}
          />
          <p className="text-soft">
            <a
              href="/api/docs"
              target="_blank"
              rel="noreferrer"
              className="rounded text-accent underline underline-offset-2"
            >
              {t("settings:keys.docs")}
            </a>
          </p>
        </div>
      </details>
      {warned && !copied && (
        <div className="mt-4" role="alert">
          <Note kind="warning">{t("settings:keys.notCopied")}</Note>
        </div>
      )}
      <DialogActions>
        <Button variant={copied ? "secondary" : "primary"} data-focus-first onClick={() => void copy()}>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
          {t(copied ? "common:copied" : "settings:copy")}
        </Button>
        <Button variant={copied ? "primary" : "secondary"} onClick={close}>
          {t(warned && !copied ? "settings:keys.closeUncopied" : "settings:done")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
