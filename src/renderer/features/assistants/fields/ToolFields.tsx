import { t } from "i18next"
import { useState } from "react"
import { Link } from "wouter"
import type { Tool } from "../../../../shared/contract/tools.ts"
import { useTools } from "../../../data/assistants.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { Disclosure } from "../../../ui/controls/Sections.tsx"
import { TickRow } from "../../../ui/controls/Toggles.tsx"
import { Note } from "../../../ui/Note.tsx"
import { wording } from "../../../lib/words/tool-wording.ts"

interface ToolFieldsProps {
  selected: string[]
  error: string | undefined
  onChange: (tools: string[]) => void
}

const groups = ["core", "integration", "mcp"] as const

/** The tools the assistant may use: the box's tools, connected accounts and the user's MCP servers. */
export function ToolFields({ selected, error, onChange }: ToolFieldsProps) {
  const { data: tools, error: failure } = useTools()
  // Selected tools keep their position when they are deselected.
  const [ticked] = useState(() => new Set(selected))
  const [unfolded, setUnfolded] = useState(false)
  if (failure) return <Note kind="error">{describeError(failure)}</Note>
  const toggle = (key: string) =>
    onChange(selected.includes(key) ? selected.filter((one) => one !== key) : [...selected, key])
  const unlinked = (tools ?? []).filter(
    ({ key, group, linked }) => group !== "core" && !linked && !ticked.has(key),
  )
  const rows = (members: Tool[]) => (
    <ul className="-mx-1.5 grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-x-2">
      {members.map((tool) => (
        <ToolRow
          key={tool.key}
          tool={tool}
          on={selected.includes(tool.key)}
          onToggle={() => toggle(tool.key)}
        />
      ))}
    </ul>
  )
  return (
    <div className="flex flex-col gap-2.5">
      {groups.map((group) => {
        const members = (tools ?? []).filter((tool) => tool.group === group && !unlinked.includes(tool))
        if (members.length === 0) return null
        return (
          <fieldset key={group}>
            <legend className="mb-0.5 text-xs font-medium text-faint">
              {t(`assistants:tools.group.${group}`)}
            </legend>
            {rows(members)}
          </fieldset>
        )
      })}
      {unlinked.length > 0 && (
        <div>
          <Disclosure
            title={t("assistants:tools.unlinked", { count: unlinked.length })}
            open={unfolded}
            onToggle={() => setUnfolded(!unfolded)}
          >
            <p className="mb-1 text-xs text-faint">
              {t("assistants:tools.early")}{" "}
              <Link href={routes.accounts} className="text-accent underline underline-offset-2">
                {t("assistants:tools.link")}
              </Link>
            </p>
            {rows(unlinked)}
          </Disclosure>
        </div>
      )}
      {error !== undefined && (
        <p role="alert" className="text-xs text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

function ToolRow({ tool, on, onToggle }: { tool: Tool; on: boolean; onToggle: () => void }) {
  const badges = (
    <>
      {tool.effect === "write" && <Badge>{t("assistants:tools.write")}</Badge>}
      {!tool.linked && (
        <Badge>
          {tool.group === "core" ? t("assistants:tools.notReady") : t("assistants:tools.notLinked")}
        </Badge>
      )}
    </>
  )
  return <TickRow {...wording(tool)} badges={badges} on={on} onToggle={onToggle} />
}

const Badge = ({ children }: { children: string }) => (
  <span className="shrink-0 rounded bg-well px-1 text-xs text-soft ring-1 ring-line">{children}</span>
)
