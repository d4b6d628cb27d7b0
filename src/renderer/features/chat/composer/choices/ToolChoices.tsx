import { t } from "i18next"
import { useState } from "react"
import { Link } from "wouter"
import { useTools } from "../../../../data/assistants.ts"
import { describeError } from "../../../../lib/box.ts"
import { routes } from "../../../../lib/navigation/routes.ts"
import { wording } from "../../../../lib/words/tool-wording.ts"
import { TickRow } from "../../../../ui/controls/Toggles.tsx"
import { Note } from "../../../../ui/Note.tsx"
import { Spinner } from "../../../../ui/Progress.tsx"

interface ToolChoicesProps {
  selected: readonly string[]
  onChange: (tools: string[]) => void
}

const groups = ["core", "integration", "mcp"] as const

/**
 * The tools that work now, including those of connected accounts and MCP servers. Tools selected when the list opens stay visible until it
 * closes.
 */
export function ToolChoices({ selected, onChange }: ToolChoicesProps) {
  const { data: tools, error } = useTools()
  const [ticked] = useState(() => new Set(selected))
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!tools)
    return (
      <div className="p-3">
        <Spinner label={t("assistants:tools.title")} />
      </div>
    )
  const shown = tools.filter(({ key, linked }) => linked || ticked.has(key))
  const toggle = (key: string) =>
    onChange(selected.includes(key) ? selected.filter((one) => one !== key) : [...selected, key])
  return (
    <div className="flex max-h-[min(26rem,calc(100vh-12rem))] flex-col">
      <div className="min-h-0 overflow-y-auto">
        {groups.map((group) => {
          const members = shown.filter((tool) => tool.group === group)
          if (members.length === 0) return null
          return (
            <fieldset key={group} className="pb-1">
              <legend className="px-2 pt-1.5 pb-0.5 text-xs font-medium text-faint">
                {t(`assistants:tools.group.${group}`)}
              </legend>
              <ul>
                {members.map((tool) => (
                  <TickRow
                    key={tool.key}
                    name={wording(tool).name}
                    description={tool.linked ? wording(tool).description : t("assistants:tools.notReady")}
                    on={selected.includes(tool.key)}
                    onToggle={() => toggle(tool.key)}
                  />
                ))}
              </ul>
            </fieldset>
          )
        })}
      </div>
      <p className="border-t border-line px-2 pt-2 pb-1.5 text-xs text-faint">
        {t("assistants:permission.auto.text")}{" "}
        <Link href={routes.accounts} className="text-accent underline underline-offset-2">
          {t("assistants:tools.link")}
        </Link>
      </p>
    </div>
  )
}
