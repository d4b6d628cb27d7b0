/** A node of Playwright's accessibility tree. */
export interface AriaNode {
  role: string
  name?: string
  text?: string
  level?: number
  url?: string
  children?: AriaNode[]
}

/** Roles that are useless without a name. */
const named = new Set([
  "alertdialog",
  "button",
  "checkbox",
  "combobox",
  "dialog",
  "figure",
  "grid",
  "heading",
  "img",
  "link",
  "listbox",
  "log",
  "menu",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "meter",
  "option",
  "progressbar",
  "radio",
  "radiogroup",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "tabpanel",
  "textbox",
  "treeitem",
])

/** Roles that users operate and must be able to distinguish from their neighbours. */
const controls = new Set([
  "button",
  "checkbox",
  "combobox",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "searchbox",
  "slider",
  "switch",
  "tab",
  "textbox",
])

const lists = new Set([
  "list",
  "table",
  "grid",
  "listbox",
  "menu",
  "radiogroup",
  "toolbar",
  "tablist",
  "tree",
])
/** Parts of a screen that start with their own heading. */
const parts = new Set([
  "main",
  "navigation",
  "complementary",
  "dialog",
  "alertdialog",
  "banner",
  "contentinfo",
])

/** Each node with its ancestors, outermost first. */
function* walk(nodes: AriaNode[], within: AriaNode[] = []): Generator<[AriaNode, AriaNode[]]> {
  for (const node of nodes) {
    yield [node, within]
    yield* walk(node.children ?? [], [...within, node])
  }
}

/** The text of a node: its name, or the text inside it. */
export const getNodeText = (node: AriaNode): string =>
  [node.name ?? "", node.text ?? "", ...(node.name ? [] : (node.children ?? []).map(getNodeText))]
    .join(" ")
    .trim()

const of = (role: string) => (node: AriaNode) => node.role === role
const quoted = (node: AriaNode) => `${node.role} “${getNodeText(node).slice(0, 80)}”`
const describePath = (within: AriaNode[]) =>
  within
    .filter(({ role, name }) => name !== undefined || parts.has(role) || lists.has(role))
    .map((node) => (node.name ? `${node.role} “${node.name.slice(0, 40)}”` : node.role))
    .join(" › ")

/** Problems for screen reader users. Behind a modal window, only announcements remain of the tree. */
export function ariaFaults(tree: AriaNode[], modal: boolean): string[] {
  const nodes = [...walk(tree)]
  return [
    ...(modal ? [] : landmarkFaults(nodes.map(([node]) => node))),
    ...nodes
      .filter(([{ role, name = "" }]) => named.has(role) && name.trim() === "")
      .map(([node, within]) => `a ${node.role} without a name in ${describePath(within)}`),
    ...headingFaults(nodes),
    ...findDuplicates(nodes),
    ...nodes
      .filter(([node]) => node.role === "table" || node.role === "grid")
      .filter(([node]) => ![...walk([node])].some(([{ role }]) => role === "columnheader"))
      .map(([node, within]) => `${quoted(node)} has no heads in ${describePath(within)}`),
  ]
}

function landmarkFaults(nodes: AriaNode[]): string[] {
  const faults: string[] = []
  const mains = nodes.filter(of("main")).length
  if (mains !== 1) faults.push(`${mains} main parts`)
  const titles = nodes.filter(({ role, level }) => role === "heading" && level === 1)
  if (titles.length !== 1)
    faults.push(`${titles.length} first headings: ${titles.map(getNodeText).join(", ")}`)
  for (const role of ["navigation", "complementary"]) {
    const names = nodes.filter(of(role)).map(({ name }) => name ?? "")
    if (names.length > 1 && new Set(names).size < names.length)
      faults.push(`${role} parts that are called the same: ${names.join(", ")}`)
  }
  return faults
}

function headingFaults(nodes: [AriaNode, AriaNode[]][]): string[] {
  const last = new Map<AriaNode | undefined, number>()
  const faults: string[] = []
  for (const [node, within] of nodes) {
    if (node.role !== "heading") continue
    const part = within.findLast(({ role }) => parts.has(role))
    const level = node.level ?? 2
    const before = last.get(part) ?? 1
    if (level > before + 1) faults.push(`${quoted(node)} of level ${level} after one of level ${before}`)
    last.set(part, level)
  }
  return faults
}

/** Controls in one list with the same name. Links to the same address are treated as one. */
function findDuplicates(nodes: [AriaNode, AriaNode[]][]): string[] {
  const faults: string[] = []
  const seen = new Map<AriaNode, Map<string, AriaNode>>()
  for (const [node, within] of nodes) {
    const list = within.findLast(({ role }) => lists.has(role))
    if (list === undefined || !controls.has(node.role)) continue
    const known = seen.get(list) ?? new Map<string, AriaNode>()
    seen.set(list, known)
    const key = `${node.role} ${getNodeText(node)}`
    const other = known.get(key)
    if (other && !(node.url !== undefined && node.url === other.url))
      faults.push(`two of ${quoted(node)} in ${describePath(within)}`)
    known.set(key, node)
  }
  return [...new Set(faults)]
}

/** Names and texts of a tree, except quotes from documents, where a part is marked. */
export const words = (tree: AriaNode[]): string[] =>
  [...walk(tree)]
    .filter(([, within]) => !within.at(-1)?.children?.some(of("mark")))
    .flatMap(([{ name, text }]) => [name ?? "", text ?? ""])
    .filter((each) => each !== "")
