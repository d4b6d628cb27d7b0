import type { InstalledModel, ModelRole, RoleChoice } from "../../../shared/contract/model-files.ts"
import type { ModelState } from "../../../shared/contract/models.ts"
import { useChooseModel } from "../../data/models.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/format.ts"
import { SelectField } from "../../ui/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/SettingsGroup.tsx"
import { ModelFacts } from "./ModelFacts.tsx"

const roles = {
  chat: {
    title: "Chat model",
    description: "Writes the answers.",
    missing:
      "There is no chat model, so answers are quoted passages from your folders. Download one or use a file below.",
    flag: "--model",
  },
  embedding: {
    title: "Embedding model",
    description: "Finds passages by meaning, beside keywords.",
    missing: "There is no embedding model, so folders are searched by keywords.",
    flag: "--embedding-model",
  },
}

interface RoleGroupProps {
  modelRole: ModelRole
  state: ModelState | null
  /** Missing for those who may not choose. */
  installed?: { models: InstalledModel[]; choice: RoleChoice }
}

/** The model of one role: what it is doing, and which one it shall be. */
export function RoleGroup({ modelRole, state, installed }: RoleGroupProps) {
  const { title, description, missing } = roles[modelRole]
  return (
    <SettingsGroup title={title} description={description}>
      <div className="flex flex-col gap-3">
        {state ? <ModelFacts model={state} /> : <Note>{missing}</Note>}
        {installed && <ModelSelect modelRole={modelRole} {...installed} />}
      </div>
    </SettingsGroup>
  )
}

function ModelSelect({
  modelRole: role,
  models,
  choice,
}: {
  modelRole: ModelRole
  models: InstalledModel[]
  choice: RoleChoice
}) {
  const choose = useChooseModel()
  const usable = models.filter(({ purpose, id }) => purpose === role || id === choice.chosenId)
  if (usable.length === 0 && choice.decidedBy === "settings") return null
  const chosen = choose.isPending ? choose.variables.modelId : choice.chosenId
  return (
    <>
      {choice.decidedBy === "start" && (
        <Note>
          Casella was started with <code className="font-mono text-xs">{roles[role].flag}</code> or its
          environment variable, which decides for this run.{" "}
          {choice.pending
            ? "Your choice below waits: it counts from the next start without it."
            : "A choice below counts from the next start without it."}
        </Note>
      )}
      <SelectField
        label={`Use as ${roles[role].title.toLowerCase()}`}
        value={chosen ?? ""}
        disabled={choose.isPending}
        onChange={({ target }) => choose.mutate({ role, modelId: target.value === "" ? null : target.value })}
        {...(role === "embedding"
          ? { hint: "Another embedding model reads all passages again; keywords find them until then." }
          : {})}
        error={choose.error ? describeError(choose.error) : undefined}
      >
        <option value="">None</option>
        {usable.map(({ id, name, sizeBytes, problem }) => (
          <option key={id} value={id} disabled={problem !== undefined}>
            {name} ({formatSize(sizeBytes)}){problem === undefined ? "" : ", can’t be used"}
          </option>
        ))}
      </SelectField>
    </>
  )
}
