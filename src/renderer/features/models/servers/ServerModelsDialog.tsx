import { t } from "i18next"
import { useState } from "react"
import type { ModelServer, ServerModel } from "../../../../shared/contract/model-servers.ts"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { Dialog } from "../../../ui/layers/Dialog.tsx"
import { VirtualList } from "../../../ui/VirtualList.tsx"
import { OptionsDialog } from "../options/OptionsDialog.tsx"

const searchFrom = 8
const rowHeight = 44

/** A server's models, each with its options. */
export function ServerModelsDialog({ server, onClose }: { server: ModelServer; onClose: () => void }) {
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
      {models.length >= searchFrom && (
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
      getHeight={() => rowHeight}
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
