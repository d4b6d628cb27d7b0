import { t } from "i18next"
import { Check, CircleStop } from "lucide-react"
import { Link } from "wouter"
import { roleFor } from "../../../shared/contract/models.ts"
import { useChooseModel, useInstalledModels, useModels } from "../../data/models/models.ts"
import { useOwner } from "../../data/session.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"
import { Note } from "../../ui/Note.tsx"

/** The chat model: its loading progress, a choice of others, and a way to free its memory. */
export function ModelPanel({ onLeave }: { onLeave: () => void }) {
  const chat = useModels().data?.chat ?? null
  const owner = useOwner()
  return (
    <>
      <h2 className="px-4 pt-3 pb-1 text-sm font-medium">{t("frame:models.label")}</h2>
      {chat?.status === "loading" && (
        <progress
          aria-label={t("frame:models.loading", { model: chat.id })}
          value={chat.progress ?? 0}
          max={1}
          className="mx-4 my-1 h-1.5 w-auto"
        />
      )}
      {chat?.status === "failed" && chat.error !== undefined && (
        <div className="px-3 py-1">
          <Note kind="error">{toPageLanguage(chat.error, chat.sentence)}</Note>
        </div>
      )}
      {owner ? <Choice /> : <p className="px-4 py-2 text-sm text-soft">{t("frame:models.mayNot")}</p>}
      {owner && (
        <Link
          href={routes.models}
          onClick={onLeave}
          className="border-t border-line px-4 py-2.5 text-sm text-soft hover:bg-hover hover:text-ink"
        >
          {t("frame:models.settings")}
        </Link>
      )}
    </>
  )
}

function Choice() {
  const { data, error } = useInstalledModels()
  const choose = useChooseModel()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!data) return null
  const chosen = choose.isPending ? choose.variables.modelId : data.choice.chat.chosenId
  const models = [
    ...data.models
      .filter(({ purpose, problem }) => roleFor(purpose) === "chat" && problem === undefined)
      .map(({ id, name }) => ({ id, name, where: "" })),
    ...data.connected.map(({ id, name, server }) => ({ id, name, where: server.name })),
  ]
  // A server's model uses no memory here, so ejecting it would only leave users without a model.
  const isEjectable = chosen !== null && !data.connected.some(({ id }) => id === chosen)
  const use = (modelId: string | null) => {
    if (!choose.isPending) choose.mutate({ role: "chat", modelId })
  }
  return (
    <div className="flex min-h-0 flex-col gap-0.5 overflow-y-auto p-1.5">
      {chosen === null && <p className="px-2.5 py-1 text-sm text-soft">{t("frame:models.none")}</p>}
      <ul>
        {models.map(({ id, name, where }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={id === chosen}
              aria-disabled={choose.isPending}
              title={name}
              onClick={() => use(id)}
              className="flex min-h-8 w-full items-center gap-2 rounded-md px-2.5 py-1 text-left text-sm hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {where !== "" && <span className="max-w-24 shrink-0 truncate text-xs text-faint">{where}</span>}
              {id === chosen && <Check className="size-4 shrink-0 text-accent" aria-hidden />}
            </button>
          </li>
        ))}
      </ul>
      {isEjectable && (
        <button
          type="button"
          aria-disabled={choose.isPending}
          onClick={() => use(null)}
          className="flex min-h-8 items-center gap-2 rounded-md px-2.5 py-1 text-left text-sm text-soft hover:bg-hover hover:text-ink"
        >
          <CircleStop className="size-4 shrink-0" aria-hidden />
          <span>
            {t("frame:models.eject")}
            <span className="block text-xs text-faint">{t("frame:models.ejectHint")}</span>
          </span>
        </button>
      )}
      {choose.error && <Note kind="error">{describeError(choose.error)}</Note>}
    </div>
  )
}
