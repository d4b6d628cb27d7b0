import { t } from "i18next"
import { useState } from "react"
import { Link } from "wouter"
import type { Tool } from "../../../../shared/contract/tools.ts"
import { useTools } from "../../../data/assistants.ts"
import { useFolders } from "../../../data/folders/folders.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { wording } from "../../../lib/words/tool-wording.ts"
import { Note } from "../../../ui/Note.tsx"
import { TextAreaField, TextField } from "../../../ui/controls/Field.tsx"
import { FolderTicks, searchFoldersFrom } from "../../../ui/controls/FolderTicks.tsx"
import { Disclosure } from "../../../ui/controls/Sections.tsx"
import { TickRow } from "../../../ui/controls/Toggles.tsx"
import { limits } from "../editor/form.ts"
import { type FieldsProps, FormField, Issue, FieldGroup } from "./FormField.tsx"
import type { IdentityFieldsProps } from "./IdentityFields.tsx"
import { MoreFields, useMore, type Revealed } from "./MoreFields.tsx"

/** The instructions that the model gets before every chat. */
function InstructionsField({ form, issues, onChange }: FieldsProps) {
  return (
    <FormField of="instructions">
      <TextAreaField
        label={t("assistants:instructions.label")}
        value={form.instructions}
        placeholder={t("assistants:instructions.example")}
        onChange={({ target }) => onChange({ instructions: target.value })}
        hint={t("assistants:instructions.text", {
          count: form.instructions.length,
          most: formatCount(limits.instructions),
          // The hint shows these placeholders literally, as they must be typed.
          date: "{{date}}",
          user: "{{user}}",
        })}
        error={issues.instructions}
        style={{ fieldSizing: "content", minHeight: "6rem", maxHeight: "60vh" }}
      />
    </FormField>
  )
}

interface FolderFieldsProps {
  selected: string[]
  error: string | undefined
  onChange: (folderIds: string[]) => void
}

/** Selects the folders that the assistant answers from. */
function FolderFields({ selected: chosen, error, onChange }: FolderFieldsProps) {
  const { data: folders } = useFolders()
  // Deleted folders are ignored, because they can't be deselected.
  const selected = folders ? chosen.filter((id) => folders.some((folder) => folder.id === id)) : chosen
  if (folders?.length === 0) {
    return (
      <p className="text-sm text-soft">
        {t("assistants:folders.none")}{" "}
        <Link href={routes.newFolder} className="text-accent underline underline-offset-2">
          {t("assistants:folders.create")}
        </Link>
      </p>
    )
  }
  const many = (folders?.length ?? 0) >= searchFoldersFrom
  return (
    <div>
      <div className="flex flex-col gap-2">
        <FolderTicks
          folders={folders ?? []}
          selected={selected}
          max={limits.folders}
          label={t("assistants:folders.title")}
          searchLabel={t("assistants:folders.find")}
          notFoundText={t("assistants:folders.notFound")}
          className="max-h-40"
          onChange={onChange}
        />
      </div>
      {many && (
        <p className="mt-1.5 text-xs text-faint">
          {t("assistants:folders.chosen", { count: selected.length, most: limits.folders })}
        </p>
      )}
      <Issue text={error} />
    </div>
  )
}

interface ToolFieldsProps {
  selected: string[]
  error: string | undefined
  onChange: (tools: string[]) => void
}

const toolGroups = ["core", "integration", "mcp"] as const

/** The tools the assistant may use: the box's tools, connected accounts and the user's MCP servers. */
function ToolFields({ selected, error, onChange }: ToolFieldsProps) {
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
      {toolGroups.map((group) => {
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

interface AssistantFieldsProps extends IdentityFieldsProps {
  /** The last field that a refused save led to. */
  revealed: Revealed | undefined
}

/** The form of an assistant: the common fields, and the rest under More. */
export function AssistantFields({ revealed, ...props }: AssistantFieldsProps) {
  const { form, issues, onChange } = props
  const more = useMore(revealed)
  return (
    <>
      <div className="mb-6 flex flex-col gap-4">
        <FormField of="name">
          <TextField
            label={t("assistants:name.label")}
            placeholder={t("assistants:name.example")}
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
            error={issues.name}
          />
        </FormField>
        <InstructionsField form={form} issues={issues} onChange={onChange} />
      </div>
      <FieldGroup title={t("assistants:folders.title")} text={t("assistants:folders.text")}>
        <FormField of="vectorIds">
          <FolderFields
            selected={form.vectorIds}
            error={issues.vectorIds}
            onChange={(vectorIds) => onChange({ vectorIds })}
          />
          {!more.open && form.visibility !== "PRIVATE" && form.vectorIds.length > 0 && (
            <div className="mt-2">
              <Note kind="warning">{t("assistants:folders.shared")}</Note>
            </div>
          )}
        </FormField>
      </FieldGroup>
      <FieldGroup title={t("assistants:tools.title")} text={t("assistants:tools.text")}>
        <FormField of="builtInTools">
          <ToolFields
            selected={form.tools}
            error={issues.builtInTools}
            onChange={(tools) => onChange({ tools })}
          />
        </FormField>
      </FieldGroup>
      <MoreFields {...props} {...more} />
    </>
  )
}
