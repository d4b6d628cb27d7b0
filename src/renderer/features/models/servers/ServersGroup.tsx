import { t } from "i18next"
import { Pencil, RotateCw, SlidersHorizontal, X, Plus } from "lucide-react"
import { useState } from "react"
import type { ModelServer, ServerModel } from "../../../../shared/contract/model-servers.ts"
import { useRefreshServer, useRemoveServer, useModelServers } from "../../../data/models/model-settings.ts"
import { describeError } from "../../../lib/box.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { VirtualList } from "../../../ui/VirtualList.tsx"
import { IconButton, Button } from "../../../ui/controls/Button.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Dialog, ConfirmDialog } from "../../../ui/layers/Dialog.tsx"
import { OptionsDialog } from "../options/OptionsDialog.tsx"
import { ServerDialog } from "./ServerDialog.tsx"

const modelSearchFrom = 8
const modelRowHeight = 44

/** A server's models, each with its options. */
function ServerModelsDialog({ server, onClose }: { server: ModelServer; onClose: () => void }) {
  const { name, models } = server
  const [search, setSearch] = useState("")
  const [shown, setShown] = useState<ServerModel>()
  const wanted = search.trim().toLowerCase()
  const found = models.filter((model) => model.name.toLowerCase().includes(wanted))
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("models:servers.modelsTitle", { name })}
      description={t("models:servers.modelsHint")}
    >
      {models.length >= modelSearchFrom && (
        <SearchField
          label={t("models:servers.findModel")}
          value={search}
          onChange={setSearch}
          className="mb-2"
        />
      )}
      {found.length === 0 && (
        <p className="py-2 text-sm text-soft">
          {models.length === 0 ? t("models:servers.listsNone") : t("models:servers.notFound")}
        </p>
      )}
      {found.length > 0 && <ModelRows models={found} onChoose={setShown} label={name} />}
      {shown && (
        <OptionsDialog
          model={{
            id: shown.id,
            name: shown.name,
            contextSize: shown.contextSize,
            visionIsOpen: shown.vision === null,
          }}
          onClose={() => setShown(undefined)}
        />
      )}
    </Dialog>
  )
}

interface ModelRowsProps {
  models: ServerModel[]
  label: string
  onChoose: (model: ServerModel) => void
}

function ModelRows({ models, label, onChoose }: ModelRowsProps) {
  return (
    <VirtualList
      label={label}
      items={models}
      getId={({ id }) => id}
      getHeight={() => modelRowHeight}
      className="max-h-[min(24rem,50vh)] overflow-y-auto"
    >
      {(model) => (
        <button
          type="button"
          title={model.name}
          onClick={() => onChoose(model)}
          className="flex h-full w-full flex-col justify-center rounded-md px-2 text-left hover:bg-hover"
        >
          <span className="w-full truncate text-sm">{model.name}</span>
          <span className="w-full truncate text-xs text-faint empty:hidden">{getFacts(model)}</span>
        </button>
      )}
    </VirtualList>
  )
}

/** Describes what the server reports about a model; may be empty. */
function getFacts({ contextSize, vision }: ServerModel): string {
  const facts = [
    contextSize !== null && t("models:facts.tokens", { count: contextSize }),
    vision === true && t("models:servers.pictures"),
    vision === false && t("models:servers.noPictures"),
  ]
  return facts.filter((fact) => fact !== false).join(" · ")
}

/** One server: its state and the actions for it. */
function ServerRow({ server }: { server: ModelServer }) {
  const { id, name, url, hasKey, state, problem, sentence, models } = server
  const [open, setOpen] = useState<"models" | "change" | "remove">()
  const refresh = useRefreshServer(id)
  const remove = useRemoveServer(id)
  const facts = [
    t("models:servers.models", { count: models.length }),
    hasKey ? t("models:servers.hasKey") : t("models:servers.noKey"),
    url,
  ]
  const error = refresh.error ?? remove.error
  return (
    <li className="flex flex-col gap-2 px-3 py-2.5">
      <div className="flex items-center gap-1">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm" title={name}>
            {name}
            <span className={`ml-2 text-xs ${state === "reachable" ? "text-good" : "text-soft"}`}>
              {t(`models:servers.state.${state}`)}
            </span>
          </p>
          <p className="truncate text-xs text-faint" title={url}>
            {facts.join(" · ")}
          </p>
        </div>
        <IconButton label={t("models:servers.showModels", { name })} onClick={() => setOpen("models")}>
          <SlidersHorizontal aria-hidden />
        </IconButton>
        <IconButton
          label={t("models:servers.refresh", { name })}
          disabled={refresh.isPending}
          onClick={() => refresh.mutate()}
        >
          <RotateCw className={refresh.isPending ? "animate-spin" : ""} aria-hidden />
        </IconButton>
        <IconButton label={t("models:servers.change", { name })} onClick={() => setOpen("change")}>
          <Pencil aria-hidden />
        </IconButton>
        <IconButton
          label={t("models:servers.remove", { name })}
          disabled={remove.isPending}
          onClick={() => setOpen("remove")}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      {problem !== null && <Note kind="warning">{toPageLanguage(problem, sentence)}</Note>}
      {error && <Note kind="error">{describeError(error)}</Note>}
      {open === "models" && <ServerModelsDialog server={server} onClose={() => setOpen(undefined)} />}
      {open === "change" && <ServerDialog server={server} onClose={() => setOpen(undefined)} />}
      <ConfirmDialog
        open={open === "remove"}
        onClose={() => setOpen(undefined)}
        onConfirm={() => remove.mutate()}
        title={t("models:servers.removeTitle", { name })}
        description={t("models:servers.removeHint")}
        confirmLabel={t("models:servers.removeConfirm")}
      />
    </li>
  )
}

/** Remote model servers that Casella uses, and a way to add another. */
export function ServersGroup() {
  const { data: servers = [], error } = useModelServers()
  const [adding, setAdding] = useState(false)
  return (
    <SettingsGroup title={t("models:servers.title")} description={t("models:servers.description")}>
      <div className="flex flex-col items-start gap-3">
        {error && <Note kind="error">{describeError(error)}</Note>}
        {servers.length > 0 && (
          <ul
            className="w-full divide-y divide-line rounded-lg border border-line"
            aria-label={t("models:servers.title")}
          >
            {servers.map((server) => (
              <ServerRow key={server.id} server={server} />
            ))}
          </ul>
        )}
        <Button onClick={() => setAdding(true)}>
          <Plus aria-hidden /> {t("models:servers.add")}
        </Button>
      </div>
      {adding && <ServerDialog onClose={() => setAdding(false)} />}
    </SettingsGroup>
  )
}
