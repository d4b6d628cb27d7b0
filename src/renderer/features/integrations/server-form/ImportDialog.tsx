import { t } from "i18next"
import { useState } from "react"
import { z } from "zod"
import type { ServerDraft } from "../../../../shared/contract/integrations.ts"
import { record } from "../../../../shared/contract/primitives.ts"
import { useAddServer } from "../../../data/integrations.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextAreaField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"

const Program = z.object({
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: record(z.string()).default({}),
})
const Address = z.object({
  url: z.string().optional(),
  serverUrl: z.string().optional(),
  headers: record(z.string()).default({}),
})
const Servers = record(z.union([Program, Address]))
const Configuration = z.union([
  z.object({ mcpServers: Servers }).transform(({ mcpServers }) => mcpServers),
  z.object({ servers: Servers }).transform(({ servers }) => servers),
])

/** Returns the servers in another program's configuration (`mcpServers`, or `servers`); null if it isn't a configuration. */
export function readConfiguration(text: string): z.input<typeof ServerDraft>[] | null {
  const parsed = Configuration.safeParse(parseJson(text))
  if (!parsed.success) return null
  return Object.entries(parsed.data).map(([name, server]) => {
    if ("command" in server) {
      const { command, args, env } = server
      return { name: name.slice(0, 40), target: { kind: "command", command, args }, env }
    }
    const { url, serverUrl, headers } = server
    const authorization = Object.entries(headers).find(([key]) => key.toLowerCase() === "authorization")?.[1]
    const token = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1]
    const target = { kind: "http" as const, url: url ?? serverUrl ?? "" }
    return { name: name.slice(0, 40), target, ...(token === undefined ? {} : { token }) }
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Imports servers from another program's configuration. They are added, but nothing is started. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("")
  const [failures, setFailures] = useState<string[]>([])
  const add = useAddServer()
  const servers = text.trim() === "" ? null : readConfiguration(text)

  async function addAll() {
    const failed: string[] = []
    for (const server of servers ?? []) {
      await add
        .mutateAsync(server)
        .catch((error: unknown) => failed.push(`${server.name}: ${describeError(error)}`))
    }
    setFailures(failed)
    const added = (servers?.length ?? 0) - failed.length
    if (added > 0) showToast(t("integrations:import.added", { count: added }))
    if (failed.length === 0) onClose()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t("integrations:import.title")}
      description={t("integrations:import.description")}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void addAll()
        }}
      >
        <TextAreaField
          label={t("integrations:import.configuration")}
          hint={servers ? t("integrations:import.found", { count: servers.length }) : undefined}
          error={text.trim() !== "" && !servers ? t("integrations:import.unreadable") : undefined}
          rows={10}
          spellCheck={false}
          placeholder={'{ "mcpServers": { … } }'}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {failures.map((failure) => (
          <Note key={failure} kind="error">
            {failure}
          </Note>
        ))}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={add.isPending}
            disabled={servers === null || servers.length === 0}
          >
            {t("integrations:import.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
