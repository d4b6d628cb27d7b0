import type { ModelState } from "../../../shared/contract/models.ts"
import { useModels } from "../../data/models.ts"
import { describeError } from "../../lib/box.ts"
import { formatCount, formatPercent } from "../../lib/format.ts"
import { Note } from "../../ui/Note.tsx"
import { Facts, SettingsGroup } from "../../ui/SettingsGroup.tsx"

const statusNames: Record<ModelState["status"], string> = {
  idle: "Loads at the first question",
  loading: "Loading",
  ready: "Ready",
  failed: "Failed",
}

/** The models in use and how one is chosen. */
export function ModelsSection() {
  const { data: models, error } = useModels()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!models) return null
  return (
    <>
      <SettingsGroup title="Chat model" description="Writes the answers.">
        {models.chat ? (
          <ModelFacts model={models.chat} />
        ) : (
          <Missing option="--model FILE.gguf">
            Without it, answers are quoted passages from your folders. Start Casella with a GGUF file, or with
            the address of an OpenAI-compatible server:
          </Missing>
        )}
      </SettingsGroup>
      <SettingsGroup title="Embedding model" description="Finds passages by meaning, beside keywords.">
        {models.embedding ? (
          <ModelFacts model={models.embedding} />
        ) : (
          <Missing option="--embedding-model FILE.gguf">
            Without it, folders are searched by keywords. Start Casella with:
          </Missing>
        )}
      </SettingsGroup>
    </>
  )
}

function Missing({ option, children }: { option: string; children: string }) {
  return (
    <div className="rounded-lg border border-line p-3 text-sm text-soft">
      <p>{children}</p>
      <code className="mt-2 block overflow-x-auto rounded-md bg-well px-2.5 py-1.5 font-mono text-xs text-ink">
        npm start -- {option}
      </code>
    </div>
  )
}

function ModelFacts({ model }: { model: ModelState }) {
  const { id, kind, status, progress, contextSize, gpu, threads, error } = model
  const loading = status === "loading" && progress !== undefined ? ` ${formatPercent(progress)}` : ""
  return (
    <div className="flex flex-col gap-3">
      {error !== undefined && <Note kind="error">{error}</Note>}
      <Facts
        rows={[
          ["Model", id],
          ["State", `${statusNames[status]}${loading}`],
          ...(contextSize > 0
            ? ([["Context", `${formatCount(contextSize)} tokens`]] as [string, string][])
            : []),
          ["Runs on", kind === "remote" ? "Another server" : runsOn(gpu, threads)],
        ]}
      />
    </div>
  )
}

function runsOn(gpu: string | undefined, threads: number | undefined): string {
  if (gpu !== undefined) return `The GPU (${gpu})`
  return threads === undefined
    ? "The processor"
    : `The processor, ${threads} thread${threads === 1 ? "" : "s"}`
}
