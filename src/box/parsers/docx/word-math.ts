import { groupMath, joinMath } from "../text/linear-math.ts"
import { attribute, type XmlAttributes } from "../xml/xml-events.ts"

interface Node {
  name: string
  text: string
  /** The parts of a fraction, root and so on, by name in order. */
  parts: { name: string; text: string }[]
  properties: Record<string, string>
}

const partNames = new Set(["num", "den", "e", "sub", "sup", "deg", "fName", "lim", "mr"])
const propertyNames = new Set(["chr", "begChr", "sepChr", "endChr", "degHide", "type"])
/** Nested parts beyond this length are cut. */
const maxCharacters = 10_000

/** Turns an equation (ECMA-376 part 1, 22.1) into a line of text, such as `x^2/sqrt(y)`. */
export class WordMath {
  readonly #open: Node[] = [createNode("oMath")]

  open(name: string, attributes: XmlAttributes): void {
    if (propertyNames.has(name)) {
      const owner = this.#open.at(-2)
      if (owner) owner.properties[name] = attribute(attributes, "val") ?? ""
    }
    this.#open.push(createNode(name))
  }

  text(text: string): void {
    const node = this.#open.at(-1)
    if (node?.name === "t") node.text += text
  }

  /** Returns the equation when it ends. */
  close(): string | undefined {
    const node = this.#open.pop()
    if (!node) return ""
    const text = write(node).slice(0, maxCharacters)
    const parent = this.#open.at(-1)
    if (!parent) return text
    if (partNames.has(node.name)) parent.parts.push({ name: node.name, text })
    if (!partNames.has(node.name) || !isStructure(parent.name)) parent.text = joinMath(parent.text, text)
    return undefined
  }
}

const createNode = (name: string): Node => ({ name, text: "", parts: [], properties: {} })

const writers: Record<string, (node: Node) => string> = {
  f: (node) => {
    const sign = node.properties["type"] === "noBar" ? "¦" : "/"
    return `${groupMath(part(node, "num"))}${sign}${groupMath(part(node, "den"))}`
  },
  sSup: (node) => `${groupMath(part(node, "e"))}^${groupMath(part(node, "sup"))}`,
  sSub: (node) => `${groupMath(part(node, "e"))}_${groupMath(part(node, "sub"))}`,
  sSubSup: (node) =>
    `${groupMath(part(node, "e"))}_${groupMath(part(node, "sub"))}^${groupMath(part(node, "sup"))}`,
  sPre: (node) => `_${groupMath(part(node, "sub"))}^${groupMath(part(node, "sup"))} ${part(node, "e")}`,
  rad: (node) => {
    const degree = part(node, "deg")
    return degree === "" ? `sqrt(${part(node, "e")})` : `root(${degree}, ${part(node, "e")})`
  },
  nary: (node) => {
    const [sub, sup] = [part(node, "sub"), part(node, "sup")]
    const limits = `${sub === "" ? "" : `_${groupMath(sub)}`}${sup === "" ? "" : `^${groupMath(sup)}`}`
    return `${node.properties["chr"] || "∫"}${limits} ${part(node, "e")}`
  },
  d: (node) => {
    const { begChr = "(", sepChr = "|", endChr = ")" } = node.properties
    return `${begChr}${parts(node, "e").join(sepChr)}${endChr}`
  },
  func: (node) => {
    const argument = part(node, "e")
    return `${part(node, "fName")}${argument.startsWith("(") ? "" : " "}${argument}`
  },
  acc: (node) => `${part(node, "e")}${node.properties["chr"] ?? "\u0302"}`,
  limLow: (node) => `${part(node, "e")}_${groupMath(part(node, "lim"))}`,
  limUpp: (node) => `${part(node, "e")}^${groupMath(part(node, "lim"))}`,
  m: (node) => parts(node, "mr").join("; "),
  mr: (node) => parts(node, "e").join(", "),
  eqArr: (node) => parts(node, "e").join("; "),
  bar: (node) => part(node, "e"),
  box: (node) => part(node, "e"),
  borderBox: (node) => part(node, "e"),
  groupChr: (node) => part(node, "e"),
  phant: (node) => part(node, "e"),
}

const isStructure = (name: string) => Object.hasOwn(writers, name)

function write(node: Node): string {
  return (isStructure(node.name) && writers[node.name]?.(node)) || node.text
}

const parts = (node: Node, name: string): string[] =>
  node.parts.filter((each) => each.name === name).map(({ text }) => text.trim())
const part = (node: Node, name: string): string => parts(node, name).join("")
